/* Preloaded to act as another version of libm: the last bit of exp() sometimes differs, as it does
 * between real versions. */
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
