# read_version(<variable> <header>): the version of the workbook and the library, such as 1.4.0. It stands in the
# library's header, and nowhere else where it can be read from there.
function(read_version variable header)
  set(version "")
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${header} line REGEX "VERSION_${part} [0-9]+$")
    string(REGEX MATCH "[0-9]+$" number "${line}")
    list(APPEND version ${number})
  endforeach()
  list(JOIN version . version)
  set(${variable} ${version} PARENT_SCOPE)
endfunction()
