# cmake -DFROM=relax.cu -DTO=relax.cpp -P launches.cmake
#
# Writes a CUDA source as one that any compiler reads: kernel<<<blocks, threads, 0, stream>>>(...) becomes
# a call of emulation::launch. All else in it cuda_runtime.h takes care of.
file(READ ${FROM} source)
string(REGEX REPLACE "([A-Za-z_]+(<[a-z]+>)?)[ \n]*<<<([^>]*)>>>" "emulation::launch(\\1, \\3)" source "${source}")
file(WRITE ${TO} "${source}")
