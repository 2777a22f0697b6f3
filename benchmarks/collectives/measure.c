/* Times collectives, strategy by strategy, in one MPI job.
 *
 * usage: measure CASES RESULTS [batches]
 *
 * CASES holds a line a case: operation, bytes per unit, and candidates, separated by blanks; a candidate is
 * "native" (past Thalweg), "passed_on" (as the job was started) or what stands behind "=" in a selection
 * ("ring", "bruck:radix=4"). For each case the candidates
 * take turns, `batches` times; a batch is a row of calls long enough to time, begun together after a barrier.
 * RESULTS gets a line of JSON for each candidate and batch count: medians over batches of the slowest rank's
 * time per call and of all ranks' CPU time per call.
 *
 * The strategies are switched through the interposer's control functions (thalweg/control.h), which this
 * program looks up by name, so that it is an ordinary MPI program otherwise.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_candidates = 64, line_bytes = 8192, most_batches = 1001 };

static int rank, ranks;
static int (*choose)(const char* selections);
static int (*bypass)(int on);

static char* input;
static char* output;
static int* counts;
static int* places;

static double now(void) {
  return MPI_Wtime();
}

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* `bytes` is a whole number of doubles for reductions. */
static void call(const char* operation, int bytes) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int doubles = bytes / 8;
  if (strcmp(operation, "barrier") == 0)
    MPI_Barrier(world);
  else if (strcmp(operation, "broadcast") == 0)
    MPI_Bcast(output, bytes, MPI_BYTE, 0, world);
  else if (strcmp(operation, "reduce") == 0)
    MPI_Reduce(input, output, doubles, MPI_DOUBLE, MPI_SUM, 0, world);
  else if (strcmp(operation, "allreduce") == 0)
    MPI_Allreduce(input, output, doubles, MPI_DOUBLE, MPI_SUM, world);
  else if (strcmp(operation, "gather") == 0)
    MPI_Gather(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, 0, world);
  else if (strcmp(operation, "scatter") == 0)
    MPI_Scatter(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, 0, world);
  else if (strcmp(operation, "allgather") == 0)
    MPI_Allgather(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, world);
  else if (strcmp(operation, "alltoall") == 0)
    MPI_Alltoall(input, bytes, MPI_BYTE, output, bytes, MPI_BYTE, world);
  else if (strcmp(operation, "alltoallv") == 0)
    MPI_Alltoallv(input, counts, places, MPI_BYTE, output, counts, places, MPI_BYTE, world);
  else if (strcmp(operation, "reduce_scatter") == 0)
    MPI_Reduce_scatter_block(input, output, doubles, MPI_DOUBLE, MPI_SUM, world);
  else if (strcmp(operation, "scan") == 0)
    MPI_Scan(input, output, doubles, MPI_DOUBLE, MPI_SUM, world);
  else if (strcmp(operation, "exscan") == 0)
    MPI_Exscan(input, output, doubles, MPI_DOUBLE, MPI_SUM, world);
  else {
    if (rank == 0)
      fprintf(stderr, "measure: no operation '%s'\n", operation);
    MPI_Abort(world, 2);
  }
}

/* The reduce_scatter of MPI_Reduce_scatter_block is the selection "reduce_scatter" too. */
static void select_strategy(const char* operation, const char* candidate) {
  char selection[line_bytes];
  if (strcmp(candidate, "native") == 0) {
    bypass(1);
    return;
  }
  bypass(0);
  if (strcmp(candidate, "passed_on") == 0)
    return;
  snprintf(selection, sizeof selection, "%s=%s", operation, candidate);
  if (choose(selection) != 0)
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Begins together: the barrier is the library's own. */
static void align(void) {
  bypass(1);
  MPI_Barrier(MPI_COMM_WORLD);
}

static double run_batch(const char* operation, int bytes, const char* candidate, int calls, double* cpu) {
  align();
  select_strategy(operation, candidate);
  const double cpu_begin = cpu_now();
  const double begin = now();
  for (int i = 0; i < calls; ++i)
    call(operation, bytes);
  const double end = now();
  *cpu = (cpu_now() - cpu_begin) / calls;
  bypass(1);
  return (end - begin) / calls;
}

/* Calls per batch, so that a batch of the library's own takes about half a millisecond; the same on all
 * ranks. */
static int calibrate(const char* operation, int bytes) {
  double cpu;
  run_batch(operation, bytes, "native", 2, &cpu);
  double seconds = run_batch(operation, bytes, "native", 3, &cpu);
  MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const double calls = 5e-4 / (seconds > 1e-9 ? seconds : 1e-9);
  return calls < 1 ? 1 : calls > 1000 ? 1000 : (int)calls;
}

static void measure_case(const char* operation, int bytes, char** candidates, int count, int batches,
                         FILE* results) {
  static double times[most_candidates][most_batches], cpus[most_candidates][most_batches];
  static double slowest[most_batches], total[most_batches];
  for (int r = 0; r < ranks; ++r) {
    counts[r] = bytes;
    places[r] = r * bytes;
  }
  const int calls = calibrate(operation, bytes);
  double ignored;
  for (int c = 0; c < count; ++c)
    run_batch(operation, bytes, candidates[c], 2, &ignored);
  for (int b = 0; b < batches; ++b)
    for (int c = 0; c < count; ++c)
      times[c][b] = run_batch(operation, bytes, candidates[c], calls, &cpus[c][b]);
  for (int c = 0; c < count; ++c) {
    MPI_Reduce(times[c], slowest, batches, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(cpus[c], total, batches, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      fprintf(results,
              "{\"operation\": \"%s\", \"bytes\": %d, \"ranks\": %d, \"candidate\": \"%s\", \"calls\": %d, "
              "\"completion_us\": %.4f, \"cpu_us\": %.4f}\n",
              operation, bytes, ranks, candidates[c], calls, 1e6 * median(slowest, batches),
              1e6 * median(total, batches));
      fflush(results);
    }
  }
}

static void* control(const char* name) {
  void* symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol == NULL && rank == 0)
    fprintf(stderr, "measure: start it with 'thalweg bench' or 'thalweg run': %s is not there\n", name);
  if (symbol == NULL)
    MPI_Abort(MPI_COMM_WORLD, 4);
  return symbol;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) {
    if (rank == 0)
      fprintf(stderr, "usage: measure CASES RESULTS [batches]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  *(void**)&choose = control("thalweg_choose");
  *(void**)&bypass = control("thalweg_bypass");
  const int batches = argc > 3 ? atoi(argv[3]) : 15;
  FILE* cases = fopen(argv[1], "r");
  FILE* results = rank == 0 ? fopen(argv[2], "w") : NULL;
  if (cases == NULL || (rank == 0 && results == NULL) || batches < 1 || batches > most_batches) {
    fprintf(stderr, "measure: cannot open the files, or batches outside 1 to %d\n", most_batches);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  counts = calloc((size_t)ranks, sizeof *counts);
  places = calloc((size_t)ranks, sizeof *places);
  size_t capacity = 0;
  char line[line_bytes];
  while (fgets(line, sizeof line, cases) != NULL) {
    char* candidates[most_candidates];
    int count = 0;
    const char* operation = strtok(line, " \n");
    const char* bytes_text = strtok(NULL, " \n");
    if (operation == NULL || bytes_text == NULL)
      continue;
    while (count < most_candidates && (candidates[count] = strtok(NULL, " \n")) != NULL)
      ++count;
    const int bytes = atoi(bytes_text);
    const size_t needed = (size_t)bytes * (size_t)ranks + 64;
    if (needed > capacity) {
      capacity = needed;
      input = realloc(input, capacity);
      output = realloc(output, capacity);
      memset(input, 0, capacity);
      memset(output, 0, capacity);
    }
    measure_case(operation, bytes, candidates, count, batches, results);
  }
  if (results != NULL)
    fclose(results);
  fclose(cases);
  free(input);
  free(output);
  free(counts);
  free(places);
  MPI_Finalize();
  return 0;
}
