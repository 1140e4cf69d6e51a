/* Checks the file of a module before it is loaded: ELF, on Windows PE. Loading a file that was cut
 * short ends the process by a signal when the missing pages are touched. For a file of another
 * machine the loader says that there is no such file, or it loads code with another convention for
 * floats.
 *   source  System V ABI, chapters 4 and 5, and its supplements for processors: flags of the header
 */
#ifndef LS_MODULE_FILE_H
#define LS_MODULE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false if the file's headers claim more bytes than the file has. Another kind of file
 * counts as whole: the loader has an error text for it. */
bool ls_module_file_is_whole(const char *path);

/* Whether the file is a module for another machine than this program. `file` and `own` then name
 * both, as "arm, soft float". */
enum { LS_MODULE_FILE_MACHINE_BYTES = 48, LS_MODULE_FILE_HEADER_BYTES = 64 };
bool ls_module_file_is_foreign(const char *path, char file[LS_MODULE_FILE_MACHINE_BYTES],
                               char own[LS_MODULE_FILE_MACHINE_BYTES]);
/* Names the machine of an ELF file that begins with these bytes; false if it is none. Not on
 * Windows. */
bool ls_module_file_machine(const uint8_t *start, size_t bytes,
                            char text[LS_MODULE_FILE_MACHINE_BYTES]);

#endif
