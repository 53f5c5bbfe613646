# The CUDA toolkit, if it is here: HAVE_CUDA. Nothing needs a GPU to be built, and what needs the toolkit
# has a stand-in that says so.
option(WORKBOOK_CUDA "Build the device code where the CUDA toolkit is installed" ON)

set(HAVE_CUDA FALSE)
if(NOT WORKBOOK_CUDA OR WORKBOOK_SANITIZE)
  message(STATUS "CUDA: switched off, everything runs on the host")
else()
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    # The toolkit's installer does not put nvcc into PATH.
    find_program(WORKBOOK_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(WORKBOOK_NVCC)
    if(WORKBOOK_NVCC)
      set(CMAKE_CUDA_COMPILER ${WORKBOOK_NVCC})
    endif()
  endif()
  # A GPU that is here is compiled for, and no other, unless this compiler does not know it. Else code for
  # the generation of 2018, and PTX that later ones translate when the program starts. Each further generation would
  # make compiling a third longer, for a GPU that is not here.
  if(NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE here ERROR_QUIET RESULT_VARIABLE failed)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" here "${here}")
    string(REPLACE "." "" here "${here}")
    set(compiler ${CMAKE_CUDA_COMPILER} $ENV{CUDACXX} nvcc)
    list(GET compiler 0 compiler)
    execute_process(COMMAND ${compiler} --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
    foreach(architecture ${here})
      if(NOT failed AND known MATCHES "compute_${architecture}[^0-9]")
        list(APPEND CMAKE_CUDA_ARCHITECTURES ${architecture})
      endif()
    endforeach()
    if(CMAKE_CUDA_ARCHITECTURES)
      list(REMOVE_DUPLICATES CMAKE_CUDA_ARCHITECTURES)
    else()
      set(CMAKE_CUDA_ARCHITECTURES 75)
    endif()
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 does not know that nvcc speaks C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    find_package(CUDAToolkit QUIET)
    set(HAVE_CUDA ${CUDAToolkit_FOUND})
  endif()
  if(HAVE_CUDA)
    message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER_VERSION}, for ${CMAKE_CUDA_ARCHITECTURES}")
  else()
    message(STATUS "CUDA: no toolkit found, everything runs on the host")
  endif()
endif()

# workbook_cuda_options(<target>): how our device code is compiled.
function(workbook_cuda_options target)
  set_target_properties(${target} PROPERTIES CUDA_STANDARD 20 CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}")
  # --expt-relaxed-constexpr lets device code call std::min and std::max. No fused multiply-add, as on
  # the host: the numbers are to be the same.
  target_compile_options(${target} PRIVATE --expt-relaxed-constexpr -fmad=false
                         $<$<BOOL:${WORKBOOK_WERROR}>:-Werror=all-warnings>)
  if(MSVC)
    target_compile_options(${target} PRIVATE -Xcompiler=/W3,/permissive-,/utf-8,/wd4244
                           -Xcompiler=/Zc:preprocessor)
    target_compile_definitions(${target} PRIVATE NOMINMAX)
  else()
    # Not -Wpedantic: what nvcc generates would not pass.
    target_compile_options(${target} PRIVATE -Xcompiler=-Wall,-Wextra,-Wshadow,-ffp-contract=off
                           $<$<BOOL:${WORKBOOK_WERROR}>:-Xcompiler=-Werror>)
  endif()
endfunction()
