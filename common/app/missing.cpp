// The program of a chapter whose libraries are not installed. CHAPTER and PACKAGES are its folder and the
// Debian packages, from the build.
#include <cstdio>

int main() {
    std::fprintf(stderr,
                 CHAPTER ": its libraries are not installed; on Debian and Ubuntu, run: apt-get "
                         "install " PACKAGES ", and then build it anew\n");
    return 2;
}
