/* The features and libraries that CMake found for this build, as JSON objects. cli/CMakeLists.txt
 * writes the source. */
#ifndef LS_BUILD_PARTS_H
#define LS_BUILD_PARTS_H

extern const char ls_build_features[];  /* name: true or false */
extern const char ls_build_libraries[]; /* name: the version whose headers were compiled */

#endif
