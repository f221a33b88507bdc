# Which algorithms of the catalogue are built. Run as a script by its tests, so that nothing here needs a project.

# True where an algorithm's own file leaves it in the default campaign. The file alone says so: what is built must not need
# another list of the same names.
function(portcost_in_default_campaign folder out)
  file(STRINGS ${folder}/algorithm.cpp line REGEX "^ *\\.in_default_campaign = false" LIMIT_COUNT 1)
  if(line)
    set(${out} FALSE PARENT_SCOPE)
  else()
    set(${out} TRUE PARENT_SCOPE)
  endif()
endfunction()

# portcost_choose_algorithms(ONLY OUT FOLDER...): sets OUT to those of the folders that ONLY names, in their order: algorithms,
# `default` for those of the default campaign, `none`; all where it is empty. Ends the configuration at an unknown name.
function(portcost_choose_algorithms only out)
  set(chosen "")
  set(known "")
  foreach(folder IN LISTS ARGN)
    get_filename_component(name ${folder} NAME)
    list(APPEND known ${name})
    if(only STREQUAL "" OR name IN_LIST only)
      list(APPEND chosen ${folder})
    elseif("default" IN_LIST only)
      portcost_in_default_campaign(${folder} is_default)
      if(is_default)
        list(APPEND chosen ${folder})
      endif()
    endif()
  endforeach()
  foreach(name IN LISTS only)
    if(NOT name IN_LIST known AND NOT name MATCHES "^(default|none)$")
      list(JOIN known ", " known)
      message(FATAL_ERROR "PORTCOST_ONLY names '${name}', which is no algorithm: it takes names of the catalogue (${known}), "
                          "default and none, with ; between them")
    endif()
  endforeach()
  set(${out} ${chosen} PARENT_SCOPE)
endfunction()
