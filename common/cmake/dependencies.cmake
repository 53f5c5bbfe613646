# Finds what the workbook builds on, in any of the versions that it supports, and fetches what is
# missing. Each library ends up behind a target of ours: workbook::sfml and so on. (CMake 3.25 takes SYSTEM for one more
# value of the word before it. Of SOURCE_SUBDIR, whose value is what it would be anyway, it does not mind.)
include(FetchContent)
find_package(Threads REQUIRED)

# find_first(<variable> <package> <version>...): the first version that is installed, or nothing.
macro(find_first variable package)
  set(${variable} FALSE)
  foreach(version ${ARGN})
    if(NOT ${variable})
      find_package(${package} ${version} QUIET ${${package}_extra})
      if(${package}_FOUND)
        set(${variable} TRUE)
        message(STATUS "${package}: ${${package}_VERSION}")
      endif()
    endif()
  endforeach()
endmacro()

add_library(workbook_sfml INTERFACE)
add_library(workbook::sfml ALIAS workbook_sfml)
add_library(workbook_cli11 INTERFACE)
add_library(workbook::cli11 ALIAS workbook_cli11)

if(EMSCRIPTEN) # the headers alone, and a canvas instead of SFML
  add_library(workbook_eigen INTERFACE)
  add_library(workbook::eigen ALIAS workbook_eigen)
  workbook_browser_headers(workbook_cli11 CLI/CLI.hpp CLI)
  workbook_browser_headers(workbook_eigen eigen3/Eigen/Core eigen3/Eigen)
  workbook_browser_headers(workbook_eigen eigen3/unsupported/Eigen/FFT eigen3/unsupported)
  return()
endif()

# SFML 3 and SFML 2 name their parts differently.
set(SFML_extra COMPONENTS Graphics)
find_first(have_sfml SFML 3)
if(NOT have_sfml)
  set(SFML_extra COMPONENTS graphics)
  find_first(have_sfml SFML 2.5)
endif()
if(NOT have_sfml)
  set(SFML_BUILD_AUDIO OFF CACHE BOOL "" FORCE)
  set(SFML_BUILD_NETWORK OFF CACHE BOOL "" FORCE)
  message(STATUS "SFML: not installed, fetching it")
  FetchContent_Declare(sfml GIT_REPOSITORY https://github.com/SFML/SFML.git
    GIT_TAG 0fa201c969e48ecc253581c5841ce73f44d42f49 # 3.0.2
    SOURCE_SUBDIR . SYSTEM)
  FetchContent_MakeAvailable(sfml)
endif()
if(TARGET SFML::Graphics)
  target_link_libraries(workbook_sfml INTERFACE SFML::Graphics)
else()
  target_link_libraries(workbook_sfml INTERFACE sfml-graphics)
endif()

find_first(have_cli11 CLI11 2)
if(NOT have_cli11)
  message(STATUS "CLI11: not installed, fetching it")
  FetchContent_Declare(cli11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git
    GIT_TAG 37bb6edc5317e99af72ef48405e65d9ca5218861 # 2.6.2
    SOURCE_SUBDIR . SYSTEM)
  FetchContent_MakeAvailable(cli11)
endif()
target_link_libraries(workbook_cli11 INTERFACE CLI11::CLI11)

add_library(workbook_eigen INTERFACE)
add_library(workbook::eigen ALIAS workbook_eigen)
find_first(have_eigen Eigen3 5 3.4)
if(NOT have_eigen)
  set(EIGEN_BUILD_TESTING OFF CACHE BOOL "" FORCE)
  set(EIGEN_BUILD_DOC OFF CACHE BOOL "" FORCE)
  message(STATUS "Eigen3: not installed, fetching it")
  FetchContent_Declare(eigen GIT_REPOSITORY https://gitlab.com/libeigen/eigen.git
    GIT_TAG 3147391d946bb4b6c68edd901f2add6ac1f31f8c # 3.4.0
    SOURCE_SUBDIR . SYSTEM)
  FetchContent_MakeAvailable(eigen)
endif()
target_link_libraries(workbook_eigen INTERFACE Eigen3::Eigen)

# PETSc, with MPI, is for one chapter only: where it is missing, that chapter's program says so. (In a build with
# sanitizers it would be their leaks that are found.)
set(HAVE_PETSC FALSE)
find_package(PkgConfig QUIET)
find_package(MPI QUIET COMPONENTS CXX)
if(PkgConfig_FOUND AND MPI_CXX_FOUND AND NOT WORKBOOK_SANITIZE)
  pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc>=3.17)
  set(HAVE_PETSC ${PETSC_FOUND})
endif()
if(HAVE_PETSC)
  message(STATUS "PETSc: ${PETSC_VERSION}")
  add_library(workbook_petsc INTERFACE)
  target_link_libraries(workbook_petsc INTERFACE PkgConfig::PETSC MPI::MPI_CXX)
  target_compile_definitions(workbook_petsc INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  add_library(workbook::petsc ALIAS workbook_petsc)
else()
  message(STATUS "PETSc: not installed (Debian's package is libpetsc-real-dev)")
endif()

if(WORKBOOK_TESTS)
  find_package(Python3 3.8 COMPONENTS Interpreter) # for the tests that run whole programs

  # Catch2 2 may be a header alone; then we compile its main once. Debian's package and Catch2 3 bring their own.
  add_library(workbook_catch2 STATIC ${PROJECT_SOURCE_DIR}/tests/support/catch_main.cpp)
  add_library(workbook::catch2 ALIAS workbook_catch2)
  if(NOT MSVC)
    target_compile_options(workbook_catch2 PRIVATE $<$<CONFIG:Release>:-O1>) # to be quick to build
  endif()
  find_first(have_catch2 Catch2 3 2.13)
  if(NOT have_catch2)
    message(STATUS "Catch2: not installed, fetching it")
    FetchContent_Declare(catch2 GIT_REPOSITORY https://github.com/catchorg/Catch2.git
      GIT_TAG fa43b77429ba76c462b1898d6cd2f2d7a9416b14 # 3.7.1
      SOURCE_SUBDIR . SYSTEM)
    FetchContent_MakeAvailable(catch2)
  endif()
  if(TARGET Catch2::Catch2WithMain)
    target_compile_definitions(workbook_catch2 PRIVATE WORKBOOK_CATCH2_HAS_MAIN)
    target_link_libraries(workbook_catch2 PUBLIC Catch2::Catch2WithMain)
    set(WORKBOOK_CATCH2_FLAGS "")
  else()
    target_link_libraries(workbook_catch2 PUBLIC Catch2::Catch2)
    set(WORKBOOK_CATCH2_FLAGS -w NoTests) # a filter that matches nothing is an error
  endif()
endif()
