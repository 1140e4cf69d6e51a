/* The part of float_contraction.c that two builds compute differently. It includes no header of
 * the engine, so it has no probe that would make the loader refuse the module. */
double float_area(double x, double y);
double float_area(double x, double y)
{
    return x * x - y * y;
}
