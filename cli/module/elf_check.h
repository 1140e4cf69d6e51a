/* Checks a shared object before it is loaded. Loading one that was cut short ends the process by a
 * signal when the missing pages are touched; of one for another machine the loader says that there
 * is no such file, or it loads code with another convention for floats.
 *   source  System V ABI, chapters 4 and 5, and its supplements for processors: flags of the header
 */
#ifndef LS_ELF_CHECK_H
#define LS_ELF_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false if the file's headers claim more bytes than the file has. A file that is no ELF
 * file of this machine's word size counts as whole: the loader has an error text for it. */
bool ls_elf_is_whole(const char *path);

/* Whether the file is an ELF file for another machine than this program. `file` and `own` then name
 * both, as "arm, soft float". */
enum { LS_ELF_MACHINE_BYTES = 48, LS_ELF_HEADER_BYTES = 64 };
bool ls_elf_is_foreign(const char *path, char file[LS_ELF_MACHINE_BYTES],
                       char own[LS_ELF_MACHINE_BYTES]);
/* Names the machine of a file that begins with these bytes. False if this is no ELF file. */
bool ls_elf_machine(const uint8_t *start, size_t bytes, char text[LS_ELF_MACHINE_BYTES]);

#endif
