/* Another version of libm, preloaded: the last bit of its exp() sometimes differs, as between
 * real versions. */
double exp(double x);

double exp(double x)
{
    double term = 1, sum = 1;
    for (int i = 1; i < 30; i++) {
        term *= x / i;
        sum += term;
    }
    return sum;
}
