# What an algorithm's libraries.cmake says: which of its peers need what. It is read for each algorithm that is built, so that a
# library is looked for only where an algorithm wants it.

# portcost_peer(FILE STEPS NAME... LIBRARY TEXT [NEEDS TARGET...] [WITHOUT TEXT])
#   FILE     library_*.cpp or .cu of the folder, which hands over the peers called STEPS
#   LIBRARY  its name in words
#   NEEDS    CMake targets that must be there, by a find_package(... QUIET) before; linked to this file alone
#   WITHOUT  why the peers are absent where one of them is not there (default: LIBRARY was not found when this was built)
# Where they are absent the file is not compiled, and `portcost list` shows the reason. A .cu file needs CUDA besides.
#
# Returned to variants/CMakeLists.txt: peer_needs_STEM (of a file without its ending), peer_absent_files and peer_absences, rows
# for the catalogue.
function(portcost_peer file)
  cmake_parse_arguments(PARSE_ARGV 1 peer "" "LIBRARY;WITHOUT" "STEPS;NEEDS")
  set(where "${folder}/libraries.cmake: portcost_peer(${file})")
  if(NOT file MATCHES "^library_[a-z0-9_]+\\.(cpp|cu)$" OR NOT EXISTS "${folder}/${file}")
    message(FATAL_ERROR "${where}: there is no such file; it takes a library_*.cpp or library_*.cu of the folder")
  elseif(NOT peer_STEPS OR NOT peer_LIBRARY OR peer_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${where}: it takes STEPS and LIBRARY, and may take NEEDS and WITHOUT (cmake/PortcostPeers.cmake)")
  endif()
  set(reason "")
  if(file MATCHES "\\.cu$" AND NOT PORTCOST_CUDA)
    set(reason "${peer_LIBRARY} needs CUDA, and this build is for the host")
  else()
    foreach(target IN LISTS peer_NEEDS)
      if(NOT TARGET ${target})
        set(reason "${peer_LIBRARY} was not found when this was built")
        if(peer_WITHOUT)
          set(reason "${peer_WITHOUT}")
        endif()
      endif()
    endforeach()
  endif()
  if(reason STREQUAL "")
    string(REGEX REPLACE "\\.[a-z]+$" "" stem ${file})
    set(peer_needs_${stem} ${peer_NEEDS} PARENT_SCOPE)
    return()
  endif()
  string(REPLACE "\\" "\\\\" reason "${reason}")
  string(REPLACE "\"" "\\\"" reason "${reason}")
  foreach(step IN LISTS peer_STEPS)
    string(APPEND peer_absences "      {\"${step}\", Model::library, \"${reason}\"},\n")
  endforeach()
  set(peer_absences "${peer_absences}" PARENT_SCOPE)
  set(peer_absent_files ${peer_absent_files} ${folder}/${file} PARENT_SCOPE)
endfunction()
