# What the library needs where it is not part of the workbook's build. It has a few files of common/ from
# there. An sdist carries copies of them, which are made here when it is put together.
set(carried parallel.hpp memory.hpp memory.cpp io/output.hpp io/output.cpp io/vti.hpp io/vti.cpp
            io/vdb.hpp io/vdb.cpp io/no_vdb.cpp gpu/driver.hpp gpu/driver.cpp gpu/owners.cuh
            cmake/warnings.cmake cmake/cuda.cmake)

if(SKBUILD_STATE STREQUAL sdist)
  foreach(file ${carried})
    configure_file(${tree}/common/${file} ${CMAKE_CURRENT_SOURCE_DIR}/common/${file} COPYONLY)
  endforeach()
  configure_file(${tree}/LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE COPYONLY)
  return()
endif()

# An unpacked sdist has no folder library/, by which the sources include each other.
if(NOT EXISTS ${tree}/common/parallel.hpp OR NOT EXISTS ${tree}/library/standalone.cmake)
  set(tree ${CMAKE_CURRENT_BINARY_DIR}/tree)
  file(COPY common LICENSE DESTINATION ${tree})
  file(COPY src DESTINATION ${tree}/library)
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
enable_language(CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
find_package(Threads REQUIRED)
include(${tree}/common/cmake/warnings.cmake)
include(${tree}/common/cmake/cuda.cmake)
