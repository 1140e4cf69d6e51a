/* Stands for another version of libm: loaded in front of it, its exp() has another last bit now and
 * then, as versions have. */
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
