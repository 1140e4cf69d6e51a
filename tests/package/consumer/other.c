/* A second file of a module, for tests that compile it with flags of its own. */
#include <lockstep/lockstep.h>

double counter_mean(double sum, double weight, double count);
double counter_mean(double sum, double weight, double count)
{
    return sum * weight + count;
}
