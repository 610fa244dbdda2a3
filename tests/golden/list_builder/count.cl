// int *plb_numbers_near, const float *x
typedef int index_type;
#define PLB_COUNT_STAGE
#define LIST_ARG_DECL index_type *plb_at_near, 
#define LIST_ARGS plb_at_near, 
#define USER_ARG_DECL __global float *x, 
#define USER_ARGS x, 
#define APPEND_near(value) ((void)++*plb_at_near)
#define APPEND_distance(value) ((void)0)
TREADLE_FUNCTION void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
{
  if (x[i] > 0) {
    APPEND_near(i);
    APPEND_distance(x[i]);
  }
}
// for each object
int plb_at_near = 0;
generate(&plb_at_near, x, (index_type)i);
plb_numbers_near[i] = plb_at_near
