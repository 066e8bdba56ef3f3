# Pages of the documentation show complete files: blocks that begin with ```cpp PATH. They are compiled and tested from
# the pages themselves, so that what a reader copies works.

# page_sources(PAGE RESULT): writes each such block of PAGE to PATH below the build's folder `pages`, and sets RESULT to
# the list of these files.
function(page_sources page result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  file(READ ${page} rest)
  set(files "")
  string(FIND "${rest}" "\n```cpp " begin)
  while(NOT begin EQUAL -1)
    math(EXPR begin "${begin} + 8")
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "\n" end_of_line)
    string(SUBSTRING "${rest}" 0 ${end_of_line} path)
    math(EXPR begin "${end_of_line} + 1")
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "\n```\n" end)
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${rest}" 0 ${end} text)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pages/${path} CONTENT "${text}" @ONLY)
    list(APPEND files ${CMAKE_BINARY_DIR}/pages/${path})
    string(FIND "${rest}" "\n```cpp " begin)
  endwhile()
  set(${result} ${files} PARENT_SCOPE)
endfunction()
