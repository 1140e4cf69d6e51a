/* The part of float_contraction.c that two builds compute differently. It includes no engine
 * header, so it has no float probe and the loader does not refuse the module. */
double float_area(double x, double y);
double float_area(double x, double y)
{
    return x * x - y * y;
}
