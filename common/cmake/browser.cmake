# The browser edition: what differs under Emscripten. `./workbook browser` configures with
#   emcmake cmake -S . -B build/browser-code
# and common/browser/pages.py makes pages of what results.

# WebAssembly's own exceptions: those that go through JavaScript make calls slow and programs large. What is
# loaded over a network should be small: functions become part of their callers only where they are short.
# (-Os would make the chapters ten times as slow; compiling with -O3 or for wider registers does not make them faster.)
# The names of types, which nothing here asks for, would be a twentieth of each program. Unrolled loops cost size,
# too: see WORKBOOK_SOLVER_APART.
add_compile_options(-fwasm-exceptions -fno-rtti -fno-unroll-loops "SHELL:-mllvm -inline-threshold=40")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "" FORCE)
# In these chapters a loop over a cell's six neighbours takes most of a step, which would be more than twice as
# long as natively, were it not unrolled. Their solver is compiled on its own, with each function a part of its
# caller, and the rest as small as it can be.
set(WORKBOOK_SOLVER_APART 14_gradients 16_sharp 17_viscosity 18_open 51_relax 15_multigrid 52_fast 41_particles 42_water)
set(STABLE_FLUIDS_SMALL ON)
set(WORKBOOK_TESTS OFF)
set(WORKBOOK_CUDA OFF CACHE BOOL "" FORCE)
# Debian's Emscripten looks for its Node modules where Node does not, unless it is told.
if(EXISTS /usr/share/nodejs)
  set(CMAKE_CXX_LINKER_LAUNCHER env NODE_PATH=/usr/share/nodejs)
endif()

# Making a program small takes as long as compiling it. Where pages are only opened, to see whether they work, those of
# chapters that another one follows may stay large.
option(WORKBOOK_BROWSER_QUICK "Make only the last chapters' programs small" OFF)

# workbook_browser_headers(<target> <header> <folder>): finds a library that is headers alone among the
# system's, and gives the target a folder with nothing but a link to it: all of /usr/include would hide
# Emscripten's own headers.
function(workbook_browser_headers target header folder)
  string(MAKE_C_IDENTIFIER "WORKBOOK_${header}" found)
  find_path(${found} ${header} PATHS /usr/include /usr/local/include /opt/homebrew/include
            NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  if(NOT ${found})
    message(FATAL_ERROR "${header} is not here: install libcli11-dev and libeigen3-dev")
  endif()
  get_filename_component(name ${folder} NAME)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
  file(CREATE_LINK ${${found}}/${folder} ${CMAKE_BINARY_DIR}/include/${name} SYMBOLIC)
  target_include_directories(${target} SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/include)
endfunction()

# workbook_browser_program(<target>): a program as <target>.js, which defines the function `program`, and
# <target>.wasm. It runs in a page, and under Node by tests/browser/run.js.
function(workbook_browser_program target)
  set(library ${PROJECT_SOURCE_DIR}/common/browser/library.js)
  target_link_options(${target} PRIVATE -fwasm-exceptions -Oz --js-library ${library}
    -sMODULARIZE=1 -sEXPORT_NAME=program -sENVIRONMENT=web,node -sINVOKE_RUN=0
    -sMALLOC=emmalloc -sALLOW_MEMORY_GROWTH=1 -sSTACK_OVERFLOW_CHECK=0
    -sEXPORTED_FUNCTIONS=_main -sEXPORTED_RUNTIME_METHODS=callMain,FS -sFORCE_FILESYSTEM=1)
  if(target IN_LIST WORKBOOK_SOLVER_APART)
    set(solver ${CMAKE_CURRENT_BINARY_DIR}/${target}_solver.cpp)
    file(CONFIGURE OUTPUT ${solver} CONTENT [[
#include "@target@/solver.hpp"

// Of a function that several objects have, the linker keeps the first one's.
extern decltype(&step) const solver;
decltype(&step) const solver = &step;
]] @ONLY)
    # A function of at most so many instructions becomes a part of its caller.
    set(flags "-funroll-loops -mllvm -unroll-threshold=1000 -mllvm -inlinehint-threshold=1500")
    if(target STREQUAL 52_fast) # all solvers, and the library: there is no room for so much
      set(flags "-mllvm -inlinehint-threshold=40")
    elseif(target STREQUAL 42_water) # nor here for all of it
      set(flags "-funroll-loops -mllvm -unroll-threshold=400 -mllvm -inlinehint-threshold=800")
    endif()
    set_property(SOURCE ${solver} PROPERTY COMPILE_FLAGS "${flags}")
    set_property(SOURCE ${target}/main.cpp ${target}/numbers.cpp PROPERTY COMPILE_FLAGS -Oz)
    get_property(sources TARGET ${target} PROPERTY SOURCES)
    set_property(TARGET ${target} PROPERTY SOURCES ${solver} ${sources})
  endif()
  set_property(TARGET ${target} PROPERTY LINK_DEPENDS ${library})
  set_target_properties(${target} PROPERTIES SUFFIX .js)
endfunction()

# workbook_browser_quick(<target>): makes a program that is as large and as slow as it comes, but soon built. Where it has
# matrices, both of its files are compiled as one, and what such programs include is compiled once for all of them.
function(workbook_browser_quick target)
  set_property(TARGET ${target} PROPERTY SOURCES ${target}/main.cpp ${target}/numbers.cpp)
  set_property(SOURCE ${target}/main.cpp ${target}/numbers.cpp PROPERTY COMPILE_FLAGS) # CMake leaves sources with flags apart
  target_compile_options(${target} PRIVATE -O1)
  target_link_options(${target} PRIVATE -O1)
  file(STRINGS ${target}/main.cpp matrices REGEX "^#include \"window/window.hpp\"")
  if(matrices)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
  get_property(libraries TARGET ${target} PROPERTY LINK_LIBRARIES)
  if(workbook::algebra IN_LIST libraries)
    workbook_program_headers(${target})
    target_compile_options(workbook_program_headers PRIVATE -O1)
  endif()
endfunction()
