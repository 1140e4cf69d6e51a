/* Checks that a shared object is complete. Loading one that was cut short ends the process by a
 * signal when the missing pages are touched. */
#ifndef LS_ELF_CHECK_H
#define LS_ELF_CHECK_H

#include <stdbool.h>

/* Returns false if the file's headers claim more bytes than the file has. A file that is no ELF
 * file of this machine's word size counts as whole: the loader has an error text for it.
 *   source  System V ABI, chapters 4 and 5 */
bool ls_elf_is_whole(const char *path);

#endif
