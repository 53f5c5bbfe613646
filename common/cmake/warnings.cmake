# How our own code is compiled. Libraries that we fetch are not touched by this.

function(workbook_compile_options target)
  if(MSVC)
    # 4244: int * float, which the chapters write as the tutorials do. Eigen fills many sections.
    target_compile_options(${target} PRIVATE /W4 /permissive- /utf-8 /bigobj /wd4244
                           $<$<BOOL:${WORKBOOK_WERROR}>:/WX>)
    target_compile_definitions(${target} PRIVATE NOMINMAX _USE_MATH_DEFINES _CRT_SECURE_NO_WARNINGS)
    return()
  endif()
  # No fused multiply-add: the digits that the lessons print must not depend on the machine.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off
                         $<$<BOOL:${WORKBOOK_WERROR}>:-Werror>)
  # GCC 12 sees overlapping copies in any sum of strings (its bug 105651); GCC 13 does not.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  # From what the optimizer has made of a function, each GCC finds other overruns, and newer ones find some that are
  # not there, such as in the copy of a field with one cell (GCC 14). A reader's build must not end with them.
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-error=array-bounds -Wno-error=stringop-overflow
                           -Wno-error=stringop-overread -Wno-error=maybe-uninitialized -Wno-error=restrict)
  endif()
  if(WORKBOOK_SANITIZE)
    # -O1: without it numbers and tests take five times as long, and a build is only a little quicker. Where
    # a pointer leads, AddressSanitizer knows: UBSan's own looks at each one would double the time of a build. -g1
    # is enough for the lines of a report. With sanitizers GCC takes much for uninitialized that is not; Clang does
    # not know that warning. The standard library's own assertions would make programs a third slower: nearly all that
    # they see AddressSanitizer sees, too, and mutants.py runs each chapter's tests with them.
    target_compile_options(${target} PRIVATE -O1 -g1 $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                           -fsanitize=address,undefined
                           -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()

# Tests need not be fast, but they should be quick to build. (At -O3, GCC 12 to 16 also see overflows in
# copies of fields whose N stands in the test as a number; there are none.)
function(workbook_test_options target)
  workbook_compile_options(${target})
  target_compile_definitions(${target} PRIVATE REFERENCE_DIR="${PROJECT_SOURCE_DIR}/tests/reference")
  if(NOT MSVC)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# In what comes from a precompiled header, GCC 12 sees overflows in sums of strings (its bugs 105329 and 105651).
function(workbook_precompiled_options target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endfunction()
