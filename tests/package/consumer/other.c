/* A second source of a module, for tests that compile it with other flags. */
#include <lockstep/lockstep.h>

double counter_mean(double sum, double weight, double count);
double counter_mean(double sum, double weight, double count)
{
    return sum * weight + count;
}
