/* Must not compile: LS_FIX() takes only constants. */
#include <lockstep/fix.h>

ls_fix fix_variable(int value)
{
    return LS_FIX(value);
}
