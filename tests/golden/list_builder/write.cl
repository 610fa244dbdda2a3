// int *plb_numbers_near, int *plb_list_near, float *plb_list_distance, const float *x
typedef int index_type;
#define PLB_WRITE_STAGE
#define LIST_ARG_DECL __global int *plb_list_near, index_type *plb_at_near, __global float *plb_list_distance, 
#define LIST_ARGS plb_list_near, plb_at_near, plb_list_distance, 
#define USER_ARG_DECL __global float *x, 
#define USER_ARGS x, 
#define APPEND_near(value) ((void)(plb_list_near[(*plb_at_near)++] = (value)))
#define APPEND_distance(value) ((void)(plb_list_distance[*plb_at_near - 1] = (value)))
TREADLE_FUNCTION void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
{
  if (x[i] > 0) {
    APPEND_near(i);
    APPEND_distance(x[i]);
  }
}
// for each object
int plb_at_near = plb_numbers_near[i];
generate(plb_list_near, &plb_at_near, plb_list_distance, x, (index_type)i)
