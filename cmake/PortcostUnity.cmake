# Compiling several sources as one. What many files include is then read once for all of them, and their templates are
# instantiated once: a whole build is shorter, that of one changed file longer.
option(PORTCOST_UNITY_TESTS "Compile several tests as one" ON)
option(PORTCOST_UNITY_COMMAND "Compile several files of the command as one" ON)
# What a compiler inlines depends on what else it sees, and tests/plant_faults knows variants by their objects.
option(PORTCOST_UNITY_VARIANTS "Compile variants of several algorithms, and the instrument, as one; not where times are taken" OFF)

# portcost_unite(TARGET FILE...): compiles variants together, a few at a time, those with Kokkos apart from the others. No two are
# of the same algorithm: each has a namespace of its own, in which files have names for themselves.
function(portcost_unite target)
  set(most 12)
  if(PORTCOST_SANITIZE)
    set(most 6)  # such objects take much memory
  endif()
  foreach(file IN LISTS ARGN)
    string(REGEX REPLACE "/((kokkos|openmp)/)?[^/]+$" "" algorithm ${file})
    get_filename_component(algorithm ${algorithm} NAME)  # generated files of an algorithm lie in another folder
    if(file MATCHES "/kokkos[/.]")
      set(kind kokkos)
    elseif(file MATCHES "/(algorithm|truth|solver)[.]cpp$")
      set(kind untimed)
    else()
      set(kind timed)
    endif()
    set(number 0)
    while(TRUE)
      set(group ${kind}_${number})
      list(LENGTH in_${group} count)
      if(count LESS most AND NOT algorithm IN_LIST in_${group})
        break()
      endif()
      math(EXPR number "${number} + 1")
    endwhile()
    list(APPEND in_${group} ${algorithm})
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
