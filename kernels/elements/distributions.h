// SPDX-License-Identifier: MIT
// Distributions whose numbers take as many random words as chance asks for; elements.h says how this is read. The host
// compiles the same text (src/kernel/host_random.cpp).
//
// Each element has a sub-stream of blocks that no other number has. A function draws from it by `own`:
//
//   own[0]   the element's block          own[3]   the half of a block that is left, if
//   own[1]   stream << 32 | next block    own[4]   is not 0
//   own[2]   the key                      own[5]   0: Philox, 1: Threefry
//
// So a number is a function of seed, stream, position and parameters alone. All is computed in float64 by sums,
// products, quotients, fma and square roots, which are rounded correctly everywhere, so that the bits are the same, too.
//
// Parameters on devices are not looked at. So each loop ends, with NaN where no parameter that is one needs as many trials.

TREADLE_FUNCTION uint4 treadle_next_block(UINT64 *own)
{
  uint4 words = own[5] == 0 ? treadle_philox_block(own[0], own[1], own[2])
                            : treadle_threefry_block(own[0], own[1], own[2]);
  ++own[1];
  own[4] = 0;
  return words;
}

TREADLE_FUNCTION UINT64 treadle_next_word(UINT64 *own)
{
  if (own[4] != 0) {
    own[4] = 0;
    return own[3];
  }
  uint4 words = treadle_next_block(own);
  own[3] = treadle_joined_words(words.z, words.w);
  own[4] = 1;
  return treadle_joined_words(words.x, words.y);
}

// Of (0, 1), in the middle of steps of 2^-52: its logarithm and that of 1 - u are finite.
TREADLE_FUNCTION double treadle_next_unit(UINT64 *own)
{
  return fma((double)(INT64)(treadle_next_word(own) >> 12), 2.220446049250313e-16, 1.1102230246251565e-16);
}

// Two normal numbers of one block.
TREADLE_FUNCTION double2 treadle_next_normal_pair(UINT64 *own)
{
  uint4 words = treadle_next_block(own);
  return treadle_normal_pair_float64(treadle_joined_words(words.x, words.y),
                                     treadle_joined_words(words.z, words.w));
}

TREADLE_FUNCTION double treadle_next_exponential(UINT64 *own)
{
  return -treadle_repeatable_log_float64(treadle_next_unit(own));
}

// exp(x), to a unit of the last digit: x = k log 2 + r, and Taylor's series of r.
TREADLE_FUNCTION double treadle_repeatable_exp_float64(double x)
{
  x = x < 710.0 ? x : 710.0;
  x = x > -746.0 ? x : -746.0;
  double k = floor(fma(x, 1.4426950408889634, 0.5));
  double r = fma(-k, 5.497923018708371e-14, fma(-k, 0.6931471805598903, x));
  double p = 1.6059043836821613e-10;
  p = fma(p, r, 2.08767569878681e-09);
  p = fma(p, r, 2.505210838544172e-08);
  p = fma(p, r, 2.755731922398589e-07);
  p = fma(p, r, 2.7557319223985893e-06);
  p = fma(p, r, 2.48015873015873e-05);
  p = fma(p, r, 0.0001984126984126984);
  p = fma(p, r, 0.001388888888888889);
  p = fma(p, r, 0.008333333333333333);
  p = fma(p, r, 0.041666666666666664);
  p = fma(p, r, 0.16666666666666666);
  p = fma(p, r, 0.5);
  p = fma(p, r, 1.0);
  p = fma(p, r, 1.0);
  INT32 whole = (INT32)k, first = whole / 2;
  double a = treadle_as_double((UINT64)(1023 + first) << 52);
  double b = treadle_as_double((UINT64)(1023 + whole - first) << 52);
  return p * a * b;
}

// log(1 + x) and exp(x) - 1 of the functions without loss (W. Kahan; N. J. Higham, Accuracy and Stability of Numerical
// Algorithms, section 1.14.1): the rounding of 1 + x is in both factors and cancels.
TREADLE_FUNCTION double treadle_repeatable_log1p_float64(double x)
{
  double u = 1.0 + x;
  return u == 1.0 ? x : treadle_repeatable_log_float64(u) * x / (u - 1.0);
}
TREADLE_FUNCTION double treadle_repeatable_expm1_float64(double x)
{
  double u = treadle_repeatable_exp_float64(x);
  if (u == 1.0) return x;
  if (u - 1.0 == -1.0 || u > 1e300) return u - 1.0;
  return (u - 1.0) * x / treadle_repeatable_log_float64(u);
}

// x^y of normal numbers x > 0.
TREADLE_FUNCTION double treadle_repeatable_pow_float64(double x, double y)
{
  return treadle_repeatable_exp_float64(y * treadle_repeatable_log_float64(x));
}

// atan(t) of t >= 0: half the angle twice, and the series of what is left, below 0.2.
TREADLE_FUNCTION double treadle_repeatable_atan_float64(double t)
{
  double x = t > 1.0 ? 1.0 / t : t;
  x = x / (1.0 + sqrt(fma(x, x, 1.0)));
  x = x / (1.0 + sqrt(fma(x, x, 1.0)));
  double y = -x * x, sum = 0.0;
  for (double n = 25.0; n > 0.0; n -= 2.0) sum = fma(sum, y, 1.0 / n);
  double angle = 4.0 * x * sum;
  return t > 1.0 ? 1.5707963267948966 - angle : angle;
}

// G. Marsaglia, W. W. Tsang: A simple method for generating gamma variables, ACM TOMS 26 (2000). Its logarithm, as numbers
// of small shapes are below the smallest double: of shapes below 1 they are those of shape + 1 times u^(1 / shape).
TREADLE_FUNCTION double treadle_random_log_gamma(UINT64 *own, double shape)
{
  double power = 0.0, d = shape;
  if (shape < 1.0) {
    power = treadle_repeatable_log_float64(treadle_next_unit(own)) / shape;
    d += 1.0;
  }
  d -= 0.3333333333333333;
  double c = 1.0 / sqrt(9.0 * d);
  for (int trial = 0; trial < 10000; ++trial) {
    double x = treadle_next_normal_pair(own).x, v = fma(c, x, 1.0);
    if (v <= 0.0) continue;
    v = v * v * v;
    double u = treadle_next_unit(own), log_v = treadle_repeatable_log_float64(v);
    if (u < 1.0 - 0.0331 * (x * x) * (x * x) ||
        treadle_repeatable_log_float64(u) < 0.5 * x * x + d * (1.0 - v + log_v))
      return treadle_repeatable_log_float64(d) + log_v + power;
  }
  return treadle_as_double(treadle_uint64_literal(0x7ff8000000000000));
}

TREADLE_FUNCTION double treadle_random_standard_gamma(UINT64 *own, double shape)
{
  if (shape == 0.0) return 0.0;
  if (shape == 1.0) return treadle_next_exponential(own);
  double power = 1.0, d = shape;
  if (shape < 1.0) {
    power = treadle_repeatable_pow_float64(treadle_next_unit(own), 1.0 / shape);
    d += 1.0;
  }
  d -= 0.3333333333333333;
  double c = 1.0 / sqrt(9.0 * d);
  for (int trial = 0; trial < 10000; ++trial) {
    double x = treadle_next_normal_pair(own).x, v = fma(c, x, 1.0);
    if (v <= 0.0) continue;
    v = v * v * v;
    double u = treadle_next_unit(own);
    if (u < 1.0 - 0.0331 * (x * x) * (x * x) ||
        treadle_repeatable_log_float64(u) < 0.5 * x * x + d * (1.0 - v + treadle_repeatable_log_float64(v)))
      return d * v * power;
  }
  return treadle_as_double(treadle_uint64_literal(0x7ff8000000000000));
}

TREADLE_FUNCTION double treadle_random_gamma(UINT64 *own, double shape, double scale)
{
  return scale * treadle_random_standard_gamma(own, shape);
}

TREADLE_FUNCTION double treadle_random_chisquare(UINT64 *own, double df)
{
  return 2.0 * treadle_random_standard_gamma(own, 0.5 * df);
}

TREADLE_FUNCTION double treadle_random_f(UINT64 *own, double dfnum, double dfden)
{
  double above = treadle_random_chisquare(own, dfnum) * dfden;
  return above / (treadle_random_chisquare(own, dfden) * dfnum);
}

// Two numbers of gamma distributions; of small shapes Joehnk's algorithm (Metrika 8, 1964), whose quotient of powers is
// formed of their logarithms where both are too small.
TREADLE_FUNCTION double treadle_random_beta(UINT64 *own, double a, double b)
{
  if (a > 1.0 || b > 1.0) {
    double x = treadle_random_standard_gamma(own, a);
    return x / (x + treadle_random_standard_gamma(own, b));
  }
  for (int trial = 0; trial < 10000; ++trial) {
    double log_x = treadle_repeatable_log_float64(treadle_next_unit(own)) / a;
    double log_y = treadle_repeatable_log_float64(treadle_next_unit(own)) / b;
    double x = treadle_repeatable_exp_float64(log_x), y = treadle_repeatable_exp_float64(log_y);
    if (x + y > 1.0) continue;
    if (x + y > 1e-300) return x / (x + y);
    return 1.0 / (1.0 + treadle_repeatable_exp_float64(log_y - log_x));
  }
  return treadle_as_double(treadle_uint64_literal(0x7ff8000000000000));
}

TREADLE_FUNCTION double treadle_random_standard_t(UINT64 *own, double df)
{
  double x = treadle_next_normal_pair(own).x;
  return x / sqrt(treadle_random_chisquare(own, df) / df);
}

TREADLE_FUNCTION double treadle_random_standard_cauchy(UINT64 *own)
{
  double2 pair = treadle_next_normal_pair(own);
  return pair.x / pair.y;
}

TREADLE_FUNCTION double treadle_random_weibull(UINT64 *own, double a)
{
  return a == 0.0 ? 0.0 : treadle_repeatable_pow_float64(treadle_next_exponential(own), 1.0 / a);
}

TREADLE_FUNCTION double treadle_random_pareto(UINT64 *own, double a)
{
  return treadle_repeatable_expm1_float64(treadle_next_exponential(own) / a);
}

TREADLE_FUNCTION double treadle_random_power(UINT64 *own, double a)
{
  return treadle_repeatable_pow_float64(treadle_next_unit(own), 1.0 / a);
}

TREADLE_FUNCTION double treadle_random_rayleigh(UINT64 *own, double scale)
{
  return scale * sqrt(2.0 * treadle_next_exponential(own));
}

TREADLE_FUNCTION double treadle_random_gumbel(UINT64 *own, double loc, double scale)
{
  return loc - scale * treadle_repeatable_log_float64(treadle_next_exponential(own));
}

TREADLE_FUNCTION double treadle_random_laplace(UINT64 *own, double loc, double scale)
{
  double distance = scale * treadle_next_exponential(own);
  return treadle_next_word(own) >> 63 != 0 ? loc - distance : loc + distance;
}

TREADLE_FUNCTION double treadle_random_logistic(UINT64 *own, double loc, double scale)
{
  double u = treadle_next_unit(own);
  return loc + scale * (treadle_repeatable_log_float64(u) - treadle_repeatable_log_float64(1.0 - u));
}

TREADLE_FUNCTION double treadle_random_triangular(UINT64 *own, double left, double mode, double right)
{
  double u = treadle_next_unit(own), width = right - left, rise = mode - left;
  if (u * width <= rise) return left + sqrt(u * rise * width);
  return right - sqrt((1.0 - u) * (right - mode) * width);
}

// The inverse normal distribution. J. R. Michael, W. R. Schucany, R. W. Haas: Generating random variates using
// transformations with multiple roots, The American Statistician 30 (1976); the smaller root without cancellation.
TREADLE_FUNCTION double treadle_random_wald(UINT64 *own, double mean, double scale)
{
  double x = treadle_next_normal_pair(own).x, y = mean * x * x;
  double sum = y + sqrt(4.0 * scale * y + y * y);
  double root = y == 0.0 ? mean : mean * (4.0 * scale * y / (sum * sum));
  return treadle_next_unit(own) * (mean + root) <= mean ? root : mean * (mean / root);
}

// D. J. Best, N. I. Fisher: Efficient simulation of the von Mises distribution, Applied Statistics 28 (1979). The cosine
// of the uniform angle is x / r of a normal pair; the result's cosine is (1 + s z) / (s + z), and the tangent of half
// its angle has no cancellation.
TREADLE_FUNCTION double treadle_random_vonmises(UINT64 *own, double mu, double kappa)
{
  double angle = 0.0;
  if (kappa < 1e-8) {
    angle = 3.141592653589793 * fma(2.0, treadle_next_unit(own), -1.0);
  } else if (kappa > 1e6) {
    angle = treadle_next_normal_pair(own).x / sqrt(kappa);
  } else {
    double r = 1.0 + sqrt(1.0 + 4.0 * kappa * kappa);
    double rho = (r - sqrt(2.0 * r)) / (2.0 * kappa), s = (1.0 + rho * rho) / (2.0 * rho);
    if (kappa < 1e-5) s = 1.0 / kappa + kappa;
    for (int trial = 0; trial < 10000; ++trial) {
      double2 pair = treadle_next_normal_pair(own);
      double length = sqrt(pair.x * pair.x + pair.y * pair.y), z = pair.x / length;
      double y = kappa * (s - (1.0 + s * z) / (s + z)), u = treadle_next_unit(own);
      if (y * (2.0 - y) < u && treadle_repeatable_log_float64(y / u) + 1.0 < y) continue;
      double cotangent = fabs(pair.y) / (length + fabs(pair.x));
      double tangent = pair.x >= 0.0 ? cotangent : 1.0 / cotangent;
      angle = 2.0 * treadle_repeatable_atan_float64(tangent * sqrt((s - 1.0) / (s + 1.0)));
      angle = pair.y < 0.0 ? -angle : angle;
      break;
    }
  }
  angle += mu;
  angle -= 6.283185307179586 * floor(fma(angle, 0.15915494309189535, 0.5));
  return angle;
}

// A Poisson number of any mean: beyond 2^30 a normal one, rounded, whose skewness differs by 3e-5.
TREADLE_FUNCTION double treadle_next_poisson(UINT64 *own, double mean)
{
  if (!(mean >= 0.0)) return mean;
  if (mean > 1073741824.0) {
    double x = treadle_next_normal_pair(own).x;
    return floor(fma(sqrt(mean), x, mean + 0.5));
  }
  double time = 0.0, count = 0.0, number = -1.0;
  while (number < 0.0) number = treadle_poisson_step(treadle_next_block(own), mean, &time, &count);
  return number;
}

TREADLE_FUNCTION double treadle_random_noncentral_chisquare(UINT64 *own, double df, double nonc)
{
  if (df > 1.0) {
    double x = treadle_next_normal_pair(own).x + sqrt(nonc);
    return treadle_random_chisquare(own, df - 1.0) + x * x;
  }
  return treadle_random_chisquare(own, df + 2.0 * treadle_next_poisson(own, 0.5 * nonc));
}

TREADLE_FUNCTION double treadle_random_noncentral_f(UINT64 *own, double dfnum, double dfden, double nonc)
{
  double above = treadle_random_noncentral_chisquare(own, dfnum, nonc) * dfden;
  return above / (treadle_random_chisquare(own, dfden) * dfnum);
}

TREADLE_FUNCTION double treadle_random_negative_binomial(UINT64 *own, double n, double p)
{
  double mean = treadle_random_standard_gamma(own, n) * ((1.0 - p) / p);
  return treadle_next_poisson(own, mean);
}

TREADLE_FUNCTION double treadle_random_geometric(UINT64 *own, double p)
{
  if (p == 1.0) return 1.0;
  double waited = floor(treadle_next_exponential(own) / -treadle_repeatable_log1p_float64(-p));
  return waited + 1.0;
}

// What Stirling's formula lacks of log(k!).
TREADLE_FUNCTION double treadle_stirling_rest(double k)
{
  double x = k + 1.0;
  if (k < 10.0) {
    double near = fma(k + 0.5, treadle_repeatable_log_float64(x), 0.9189385332046727 - x);
    return treadle_log_factorial(k) - near;
  }
  double y = 1.0 / (x * x);
  return (0.08333333333333333 - (0.002777777777777778 - 0.0007936507936507937 * y) * y) / x;
}

// The logarithm of the probability of k, up to (n + 1) log(n - k + 1) and what is the same for all k.
TREADLE_FUNCTION double treadle_binomial_density(double n, double p, double k)
{
  double q = 1.0 - p, excess = ((n + 1.0) * p - k - q) / ((k + 1.0) * q);
  return (k + 0.5) * treadle_repeatable_log1p_float64(excess) - treadle_stirling_rest(k) -
         treadle_stirling_rest(n - k);
}

// W. Hoermann: The generation of binomial random variates, Journal of Statistical Computation and Simulation 46 (1993),
// algorithm BTRS. Densities are those of its BTRD, by log1p, so that they do not cancel for large n. p is at most 1/2.
TREADLE_FUNCTION double treadle_binomial_rejection(UINT64 *own, double n, double p)
{
  double q = 1.0 - p, deviation = sqrt(n * p * q);
  double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  double mode = floor((n + 1.0) * p), density = treadle_binomial_density(n, p, mode);
  double alpha = (2.83 + 5.1 / b) * deviation;
  for (int trial = 0; trial < 10000; ++trial) {
    double u = treadle_next_unit(own) - 0.5, v = treadle_next_unit(own), edge = 0.5 - fabs(u);
    double k = floor((2.0 * a / edge + b) * u + n * p + 0.5);
    if (k < 0.0 || k > n) continue;
    if (edge >= 0.07 && v <= 0.92 - 4.2 / b) return k;
    double hat = v * alpha / (a / (edge * edge) + b);
    double ratio = treadle_binomial_density(n, p, k) - density +
                   (n + 1.0) * treadle_repeatable_log1p_float64((k - mode) / (n - k + 1.0));
    if (treadle_repeatable_log_float64(hat) <= ratio) return k;
  }
  return treadle_as_double(treadle_uint64_literal(0x7ff8000000000000));
}

// Small means: the sum of probabilities up to a uniform number, from 0.
TREADLE_FUNCTION double treadle_binomial_inversion(UINT64 *own, double n, double p)
{
  double first = treadle_repeatable_exp_float64(n * treadle_repeatable_log1p_float64(-p));
  double odds = p / (1.0 - p);
  for (int trial = 0; trial < 10000; ++trial) {
    double u = treadle_next_unit(own), probability = first;
    for (double k = 0.0; k <= n && k < 200.0; k += 1.0) {
      if (u <= probability) return k;
      u -= probability;
      probability *= odds * (n - k) / (k + 1.0);
    }
  }
  return treadle_as_double(treadle_uint64_literal(0x7ff8000000000000));
}

TREADLE_FUNCTION double treadle_random_binomial(UINT64 *own, double n, double p)
{
  double rare = p > 0.5 ? 1.0 - p : p;
  if (n == 0.0 || rare == 0.0) return p > 0.5 ? n : 0.0;
  double k = n * rare < 10.0 ? treadle_binomial_inversion(own, n, rare) : treadle_binomial_rejection(own, n, rare);
  return p > 0.5 ? n - k : k;
}

// Few draws: one after the other.
TREADLE_FUNCTION double treadle_hypergeometric_urn(UINT64 *own, double good, double bad, double sample)
{
  double left = good;
  for (double total = good + bad; sample > 0.0; sample -= 1.0, total -= 1.0)
    if (treadle_next_unit(own) * total < left) left -= 1.0;
  return good - left;
}

// Ratio of uniforms (E. Stadlober: The ratio of uniforms approach for generating discrete random variates, Journal of
// Computational and Applied Mathematics 31, 1990, algorithm HRUA). good <= bad, sample <= (good + bad) / 2.
TREADLE_FUNCTION double treadle_hypergeometric_rejection(UINT64 *own, double good, double bad, double sample)
{
  double all = good + bad, p = good / all, mean = sample * p;
  double variance = (all - sample) * sample * p * (1.0 - p) / (all - 1.0);
  double c = sqrt(variance + 0.5), h = fma(1.7155277699214135, c, 0.8989161620588988);
  double mode = floor((sample + 1.0) * (good + 1.0) / (all + 2.0));
  double density = treadle_log_factorial(mode) + treadle_log_factorial(good - mode) +
                   treadle_log_factorial(sample - mode) + treadle_log_factorial(bad - sample + mode);
  double end = floor(mean + 0.5 + 16.0 * c);
  double most = sample < good ? sample : good;
  end = most + 1.0 < end ? most + 1.0 : end;
  for (int trial = 0; trial < 10000; ++trial) {
    double u = treadle_next_unit(own), v = treadle_next_unit(own), x = mean + 0.5 + h * (v - 0.5) / u;
    if (x < 0.0 || x >= end) continue;
    double k = floor(x);
    double t = density - (treadle_log_factorial(k) + treadle_log_factorial(good - k) +
                          treadle_log_factorial(sample - k) + treadle_log_factorial(bad - sample + k));
    if (u * (4.0 - u) - 3.0 <= t) return k;
    if (u * (u - t) >= 1.0) continue;
    if (2.0 * treadle_repeatable_log_float64(u) <= t) return k;
  }
  return treadle_as_double(treadle_uint64_literal(0x7ff8000000000000));
}

TREADLE_FUNCTION double treadle_random_hypergeometric(UINT64 *own, double ngood, double nbad, double nsample)
{
  double all = ngood + nbad;
  if (nsample <= 0.0 || ngood <= 0.0) return 0.0;
  if (nbad <= 0.0) return nsample;
  if (nsample >= all) return ngood;
  double few = nsample <= all - nsample ? nsample : all - nsample;
  double less = ngood <= nbad ? ngood : nbad, more = ngood <= nbad ? nbad : ngood;
  double k = few < 10.0 ? treadle_hypergeometric_urn(own, less, more, few)
                        : treadle_hypergeometric_rejection(own, less, more, few);
  if (ngood > nbad) k = few - k;
  return nsample > few ? ngood - k : k;
}

// A. W. Kemp: Efficient generation of logarithmically distributed pseudo-random variables, Applied Statistics 30 (1981),
// algorithm LK.
TREADLE_FUNCTION double treadle_random_logseries(UINT64 *own, double p)
{
  if (p == 0.0) return 1.0;
  double rate = treadle_repeatable_log1p_float64(-p);
  double v = treadle_next_unit(own);
  if (v >= p) return 1.0;
  double q = -treadle_repeatable_expm1_float64(rate * treadle_next_unit(own));
  if (v <= q * q) {
    double log_q = treadle_repeatable_log_float64(q);
    return log_q < 0.0 ? floor(1.0 + treadle_repeatable_log_float64(v) / log_q) : 9.2e18;
  }
  return v >= q ? 1.0 : 2.0;
}

// L. Devroye: Non-Uniform Random Variate Generation (1986), section X.6.1. The uniform number stays above what would give
// one beyond 2^63.
TREADLE_FUNCTION double treadle_random_zipf(UINT64 *own, double a)
{
  if (a > 60.0) return 1.0;
  double s = a - 1.0, least = treadle_repeatable_exp_float64(-43.66827237527655 * s);
  double excess = treadle_repeatable_expm1_float64(s * 0.6931471805598903);
  for (int trial = 0; trial < 10000; ++trial) {
    double u = fma(1.0 - least, treadle_next_unit(own), least), v = treadle_next_unit(own);
    double x = floor(treadle_repeatable_pow_float64(u, -1.0 / s));
    if (x < 1.0) continue;
    double t = treadle_repeatable_expm1_float64(s * treadle_repeatable_log1p_float64(1.0 / x));
    if (v * x * t * (1.0 + excess) <= (t + 1.0) * excess) return x;
  }
  return treadle_as_double(treadle_uint64_literal(0x7ff8000000000000));
}
