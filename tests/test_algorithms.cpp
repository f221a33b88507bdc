// SPDX-License-Identifier: Apache-2.0
// Tables of tests that all algorithms share: refused problems, unfit variants, wrong answers, and
// sizes where tiles, packs and passes end. Each algorithm's rows are tests under its own tag.
#include <sstream>

#include "perf/solve/solving.hpp"
#include "tests/matrix_checks.hpp"

namespace portcost::test::test_algorithms {

// "n=60,graph=ring,type=i32": numbers of the size, parameters, and the type, if not the first.
Problem problem_of(const Algorithm& row, const std::string& given) {
  std::string size, parameters;
  ElementType type = row.types[0];
  std::istringstream stream(given);
  for (std::string one; std::getline(stream, one, ',');) {
    const std::string key = one.substr(0, one.find('='));
    if (key == "type") {
      type = chosen_type(row, one.substr(5), type);
      continue;
    }
    const bool of_size = std::ranges::count(row.size_keys, key, &SizeKey::key) != 0;
    std::string& text = of_size ? size : parameters;
    text += (text.empty() ? "" : ",") + one;
  }
  return test::problem_of(row, size, parameters, type);
}

// Registers a test "ALGORITHM: WHAT" of each algorithm in a table, which checks its rows.
template <class Row>
struct OfEach {
  OfEach(const std::vector<Row>& table, const std::string& what, const std::string& tags,
         const std::function<void(const Row&)>& check) {
    std::set<std::string> named;
    for (const Row& row : table) named.insert(row.algorithm);
    for (const std::string& algorithm : named) {
      register_test(CATCH_INTERNAL_LINEINFO, algorithm + ": " + what, "[" + algorithm + "]" + tags,
                    [=, &table] {
                      for (const Row& row : table) {
                        if (row.algorithm == algorithm) check(row);
                      }
                    });
    }
  }
};

struct Given {
  std::string algorithm, problems, said;
};
// Of lines "ALGORITHM PROBLEM... [-> SAID]".
std::vector<Given> given(const std::string& table) {
  std::vector<Given> rows;
  for (const std::string& line : lines_of(table)) {
    const std::size_t name = line.find(' '), arrow = line.find(" -> ");
    if (name == line.npos) continue;
    rows.push_back({line.substr(0, name), line.substr(name, arrow - name),
                    arrow == line.npos ? "" : line.substr(arrow + 4)});
  }
  return rows;
}

// Without an arrow a refusal has the problem's own text.
const std::vector<Given> refusals = given(R"(
atomics width=48
derivatives nx=8 nz=65536 kind=6
derivatives nx=65535,ny=65535,nz=9 -> nodes; a launch takes
derivatives nx=9,ny=65535,nz=16385 -> rows; a league holds
derivatives nx=9,ny=65535,nz=16384 -> (nothing thrown)
fft_convolution nx=1 ny=0 nx=65537
fft_derivative n=1 n=0 lines=0
fft_derivative n=2^24,lines=2^11 -> the most
fft_derivative n=2^24,lines=2^10 -> (nothing thrown)
fft_poisson nx=1 nz=0
fft_poisson nx=2^17,ny=2^17,nz=2 nx=2,ny=2^17,nz=2^14 -> are the most
fft_poisson operator=x -> spectral
floyd_warshall r1=0
floyd_warshall r1=100 -> r1=100 must be a multiple of 128
floyd_warshall weights=real,type=i32 -> --type f32
floyd_warshall n=64,r1=384,weights=real,type=f32 -> (nothing thrown)
gauss r1=0 r1=48
gauss r1=100 -> r1=100 must be a divisor of 64
gauss n=64,r1=384 n=64,r1=1 -> (nothing thrown)
gauss_batched n=65 n=0 count=0 count=10000001
gauss_batched n=64,count=10000000 -> (nothing thrown)
heat2d_steps x=0.3,y=0.3 -> x=0.3, y=0.3
heat2d_steps x=0 -> x=0,
heat2d_steps nx=3,ny=3,x=0.25,y=0.25 -> (nothing thrown)
histogram bins=100 -> bins=100 is not allowed: it must be one of 64, 256, 4096
histogram n=2147483648 -> allowed are 0 to 2147483647
histogram n=2147483647,bins=4096 -> (nothing thrown)
in_flight n=0 n=2147483649 threads=0 threads=2049
jacobi dx=0 dy=-1 dx=nan dx=1e-200 dy=1e+200 boundary=inf check_every=-1 tolerance=-1
jacobi tolerance=0.1 -> give check_every=
jacobi depth=3 -> depth=3 must be 1, 2, 4 or 8
jacobi check_every=2,tolerance=0.1,depth=4 -> (nothing thrown)
launches bytes=64 kernels=0 n=1048577
message_passing groups=32768,members=32769,words=1 -> groups=32768 times members=32769
message_passing groups=1,members=32768,words=32769 -> members=32768 times words=32769
message_passing groups=32768,members=32768,words=1 -> (nothing thrown)
monte_carlo pairs=-1
monte_carlo pairs=2^35 -> allowed are 0 to 17179869184
options paths=0 steps=0
options paths=2^35 -> paths=
options volatility=1.5 -> volatility * sqrt(years) is 1.5: it must lie between 0.001 and 1
options spot=0 -> spot is 0
options strike=-1 -> strike is -1
options years=0 -> years is 0
options rate=9 -> rate * years is 9
random n=-1 pool=32
random n=2^39 -> allowed are 0 to 274877906944
strides n=0 n=1073741825 offset=34 offset=-1 stride=0 stride=65 columns=1048577
sum data=2 -> data=2 is unknown: did you mean
summation n=-1 n=68719476737
transfer_batching count=2^24,n=2^14,gap=1 -> count=16777216, n=16384, gap=1 are 2.75e+11 elements
transfer_batching count=2^24,n=2^14,gap=1 -> 274877906944 at most
transfer_batching count=2^24,n=2^13,gap=2^13 -> (nothing thrown)
transfer_batching count=7,planes=2 -> count=7 is no multiple of planes=2
transfer_overlap chunks=65537 buffers=-2
transfer_overlap chunks=-1 -> chunks=-1 is out of range: allowed are 0 to 65536
transfer_overlap streams=3 -> streams=3 is not allowed: it must be one of 1, 2, 4, 8, 16
transfer_overlap n=10,chunks=65536,buffers=65536 -> (nothing thrown)
transpose nx=0 ny=0 batch=0 nx=1073741825
transpose nx=1,ny=33,batch=536870913 -> tiles of 32 x 32
transpose nx=1,ny=33,batch=536870912 -> (nothing thrown)
)");
void check_refusals(const Given& row) {
  std::istringstream problems(row.problems);
  for (std::string problem; problems >> problem;) {
    const std::string text = message_of<UsageError>([&] {
      const Algorithm& algorithm = algorithm_called(row.algorithm);
      algorithm.validate(problem_of(algorithm, problem));
    });
    CAPTURE(problem, text);
    CHECK(mentions(text, row.said.empty() ? problem : row.said));
    CHECK(lines_of(text).size() == 1);
  }
}
const OfEach<Given> refused(refusals, "what makes no sense is refused in one line", "",
                            check_refusals);

// PROBLEM STEP...: no variant of these steps takes the problem, all others do.
const std::vector<Given> unfit = given(R"(
atomics n=100,words=7,width=128 sub_global sub_scratch exchange_global exchange_scratch min_global min_scratch max_global max_scratch inc_wrap_global inc_wrap_scratch dec_wrap_global dec_wrap_scratch cas_global cas_scratch and_global and_scratch or_global or_scratch xor_global xor_scratch -> addition alone
derivatives nx=9,ny=9,nz=9,kind=0 long_pencils march_z all_three laplacian -> kind=
gauss_batched n=33,count=9,type=f64 shuffles -> more lanes than a warp
gauss_batched n=64,count=9,type=f64 shuffles -> more lanes than a warp
gauss_batched n=32,count=9,type=f64
gauss_batched n=64,count=9,type=f32
monte_carlo pairs=1073741824
monte_carlo pairs=1073741825 stored -> 2^30
strides n=9,columns=3
strides n=9,offset=1,columns=3 packed_rows padded_rows gather gather_read_only gather_texture scaled_alike scaled_apart
strides n=9,stride=2,columns=3 packed_rows padded_rows gather gather_read_only gather_texture scaled_alike scaled_apart
summation n=2^22
summation n=4194305 serial -> 2^22 numbers
summation n=9,type=f64 wide_accumulator -> no wider type
transfer_batching count=6,planes=2 arrays_packed section_packed section_over_link arrays_over_link
transpose nx=33,ny=34 in_place in_place_registers -> square
transpose nx=64,ny=64,batch=9
transpose nx=65,ny=65,batch=9 whole_matrices -> 16 KiB
transpose nx=64,ny=64,batch=9,type=f64 whole_matrices -> 16 KiB
)");
void check_unfit(const Given& row) {
  const Algorithm& algorithm = algorithm_called(row.algorithm);
  std::istringstream words(row.problems);
  std::string text;
  words >> text;
  const Problem problem = problem_of(algorithm, text);
  const std::set<std::string> steps(std::istream_iterator<std::string>(words), {});
  for (const std::string& step : steps) CHECK(std::ranges::count(algorithm.steps, step) == 1);
  for (const Variant& variant : algorithm.variants) {
    // References of transfer_batching take all problems.
    if (variant.model == Model::reference && row.algorithm == "transfer_batching") continue;
    const std::string why(variant.unfit(problem));
    CAPTURE(variant_name(algorithm, variant), text, why);
    CHECK(why.empty() == !steps.contains(std::string(variant.step)));
    if (!why.empty()) CHECK(mentions(why, row.said));
  }
}
const OfEach<Given> passed_over(unfit, "variants that do not take a problem say why", "",
                                check_unfit);

// Of PROBLEM ARRAY ELEMENT CHANGE [STEP]: the element becomes a number (=1), or one more (+1), or
// twice as large (*2). Six standard deviations of so many pairs of monte_carlo are 5045.
const std::vector<Given> wrong_answers = given(R"(
derivatives nx=11,ny=13,nz=10,kind=0,type=f64 out 633 =1e6 -> at node [4][5][6] is 1000000
derivatives nx=11,ny=13,nz=10,kind=1,type=f64 out 633 =1e6 -> at node [4][5][6] is 1000000
derivatives nx=11,ny=13,nz=10,kind=2,type=f64 out 633 =1e6 -> at node [4][5][6] is 1000000
derivatives nx=11,ny=13,nz=10,kind=3,type=f64 out 633 =1e6 -> at node [4][5][6] is 1000000
derivatives nx=11,ny=13,nz=10,kind=4,type=f64 out 633 =1e6 -> at node [4][5][6] is 1000000
derivatives nx=11,ny=13,nz=10,kind=5,type=f64 out 633 =1e6 -> at node [4][5][6] is 1000000
derivatives nx=11,ny=13,nz=10,kind=5,type=f64 out 3493 =1e6 -> at node [4][5][6] is 1000000
fft_convolution nx=9,ny=8,type=f64 out 17 =90 transform -> out[1][8] is 90, where
fft_derivative n=8,lines=5,type=f64 out 17 =40 -> ] is 40, where
fft_derivative n=9,lines=5,type=f64 out 17 =nan transform -> ] is nan, where
floyd_warshall n=60,graph=ring,paths=on distance 429 =1e6 -> distance[7][9]
floyd_warshall n=60,graph=ring,paths=on distance 429 =0.5
floyd_warshall n=60,graph=ring,paths=on next 429 =3 -> next[7][9] is 3
floyd_warshall n=60,graph=ring,paths=on next 429 =-1 -> next[7][9] is -1
floyd_warshall n=60,graph=ring,paths=on negative_cycle 0 =4 -> vertex 4
gauss n=60,matrix=random lu 1839 =0
gauss n=60 bad_pivot 0 =4 -> column 4
gauss_batched n=30,count=12,matrix=random lu 10509 =0
gauss_batched n=30,count=12,matrix=integer lu 2700 =3 -> lu[3][0][0] is 3
gauss_batched n=30,count=12,matrix=random bad_pivot 4 =2 -> bad_pivot[4] is 2
gauss_batched n=30,count=12,matrix=random bad_pivot 4 =30 -> bad_pivot[4] is 30
in_flight n=1000,threads=64 sum 0 +1 -> 1550610104 is right
jacobi rows=20,columns=30,iterations=7,type=f64 temperature 17 +1e-12 -> node [0][17] is
jacobi rows=9,columns=8,iterations=40,check_every=10 residual 3 *1.01 -> residual[3] is
jacobi rows=9,columns=8,iterations=40,check_every=10 sweeps 0 =30 -> residual[3] is
monte_carlo pairs=100001 hits 0 +1 -> is right
monte_carlo pairs=4194305 hits 0 +10090 -> are expected
monte_carlo pairs=4194305 hits 1 =1
random n=1001,type=f64 numbers 1000 *1.00000000000001 -> numbers[1000]
random n=1001,numbers=normal,type=f64 numbers 1000 *1.00000000000001 -> numbers[1000]
random n=1001 own 0 =1 -> not of the generator
random n=1001,numbers=normal own 0 =1 -> not of the generator
transfer_batching count=6,n=3,planes=2,gap=1 out 18 =2 section_3d -> element 2 of row 3
transfer_batching count=6,n=3,planes=2,gap=1 out 14 =2 section_3d -> element 3 after row 2 was
transfer_overlap n=9,host_work=5 own 4 =2 -> own[4] is 2
strides n=20,offset=3,stride=5,columns=7 out 4 =2 writes -> nothing is to be written
)");
void check_wrong(const Given& row) {
  const Algorithm& algorithm = algorithm_called(row.algorithm);
  std::istringstream words(row.problems);
  std::string problem, array, change, step;
  std::size_t at = 0;
  words >> problem >> array >> at >> change >> step;
  const Reference right(algorithm, problem_of(algorithm, problem), step);
  Answer answer = right.answer();
  CAPTURE(row.problems);
  CHECK(right.fault(answer) == "");
  const auto spoil = [&]<class T>(T) {
    const auto before = static_cast<double>(elements<T>(answer.at(array)).at(at));
    const double by = std::stod(change.substr(1));
    const double after = change[0] == '=' ? by : change[0] == '+' ? before + by : before * by;
    answer = with_element(std::move(answer), array, at, static_cast<T>(after));
  };
  const ElementType type = answer.at(array).type;
  if (type == ElementType::f64) spoil(double{});
  if (type == ElementType::f32) spoil(float{});
  if (type == ElementType::i32) spoil(std::int32_t{});
  const std::string fault = right.fault(answer);
  CAPTURE(fault);
  CHECK((!fault.empty() && mentions(fault, row.said)));
  if (array == answer.arrays[0].name) CHECK(right.compared(answer, right.answer()) != "");
}
const OfEach<Given> found(wrong_answers, "a wrong element is found and named", "[kokkos]",
                          check_wrong);

struct Borders {
  const char* algorithm;
  const char* sizes;  // as the catalogue lists them
  std::vector<std::string> parameters = {""};
  std::vector<ElementType> types = {};  // if not all of the algorithm
};
void check_borders(const Borders& of, Place place) {
  Algorithm row = algorithm_called(of.algorithm);
  row.checked = of.sizes;
  const std::vector<ElementType> all(row.types.begin(), row.types.end());
  for (const ElementType type : of.types.empty() ? all : of.types) {
    for (const Size& size : row.check_sizes()) {
      for (const std::string& parameters : of.parameters) {
        agree(row, place, test::problem_of(row, size.text(), parameters, type));
      }
    }
  }
}
constexpr auto f32 = ElementType::f32, f64 = ElementType::f64;

const std::vector<Borders> borders{
    {"divergence",
     "1|1025|5000,5,1",
     {"block=tile", "block=256", "block=16x16", "block=8x8x4", "block=100"}},
    {"fft_poisson", "33,20,7 2,2,1 3,2,2 40,35,1", {"operator=stencil"}},
    {"heat2d", "1,1,3 33,17,2 66,34,3 127,93,3", {"block=lecture"}},
    {"heat2d_steps",
     "1100,75,17 3,40,33",
     {"depth=1", "depth=2", "depth=3", "depth=5", "depth=8", "depth=12", "depth=13", "depth=16"}},
    // Borders of tiles and bands; more sweeps a pass than the grid has nodes; passes of all
    // lengths.
    {"jacobi",
     "1,1,15 2,3,9 5,497,8 300,5,8 8,510,3 9,511,3 64,254,3 65,255,3 32,240,15 33,241,9 "
     "131,1537,15"},
    {"jacobi",
     "150,1100,7",
     {"depth=1,dx=0.3,dy=1.7,boundary=-2", "depth=2,dx=0.3,dy=1.7,boundary=-2",
      "depth=4,dx=0.3,dy=1.7,boundary=-2"}},
    {"jacobi", "20,33,5000", {"check_every=37,tolerance=1e-3"}, {f32}},
    {"jacobi", "20,33,5000", {"check_every=37,tolerance=1e-9"}, {f64}},
    // One row, and one column, alone: what leaves out the last misses all.
    {"jacobi", "70,600,23 1,30,5 30,1,5", {"check_every=3"}},
    {"launches", "600,7,256", {"streams=1", "streams=3"}},
    {"monte_carlo", "0..3|31..33|63..65|127|511|513|8191|8193|50001|3000017"},
    {"options", "1|3|255|1100003,1 257,2 4097,3 9001,1 130,256"},
    {"options", "5000,1", {"rate=-0.1,years=2,strike=90,volatility=0.7"}},
    {"random", "300007", {"numbers=normal,pool=1024", "pool=1024"}},
    {"scan", "3000017"},
    {"scan", "16793600", {""}, {f64}},  // more tiles than a tile has numbers
    {"sum",
     "1|257|65537|300007",
     {"data=uniform", "data=ones", "data=small_integers", "data=ill_conditioned"}},
    {"summation",
     "0|1|5|4095|8193|200011",
     {"data=uniform", "data=ill_conditioned", "data=large_and_tiny"}},
    {"summation", "4300001", {"data=large_and_tiny"}, {f64}},  // 1024 teams
    {"transfer_bandwidth", "1..5|15..17|4095..4097|65535..65537|81919..81921|1000001|3145728"},
    {"transfer_batching", "1|2|33,1|2|3|64|255|257,0|1|5|64 1000,1,0 3,70000,3"},
    {"transfer_batching", "12,5,3 1002,64,0 6,70000,7", {"planes=2", "planes=3", "planes=6"}},
    {"transfer_overlap", "1|2|3|16|17|127..129|1000|65536|65537,1|2|4|8|16"},
    {"transfer_overlap", "1000,4", {"host_work=77"}},
    {"transfer_overlap",
     "1|2|3|16|17|127..129|1000|65536|65537,4",
     {"chunks=1", "chunks=7", "chunks=7,buffers=1", "chunks=7,buffers=2", "chunks=16,buffers=3",
      "chunks=16,buffers=16", "chunks=64,buffers=5"}},
};
const std::vector<Borders> slow_borders{
    {"floyd_warshall", "2|32|64|128|200", {"graph=ring"}},
    {"floyd_warshall", "1|31|33|63|65|127|129", {"graph=negative"}},
    {"floyd_warshall", "33|63|129"},
    {"floyd_warshall", "65", {"graph=ring,paths=on"}},
    {"floyd_warshall", "1|33|129|200", {"graph=negative,paths=on"}},
    {"floyd_warshall", "129", {"weights=real,paths=on"}, {f32}},
    {"floyd_warshall", "200", {"weights=real,graph=ring"}, {f32}},
    {"floyd_warshall", "140", {"weights=real,graph=negative"}, {f32}},
    // More than two tiles of every step, and rounds of several tiles whose last is shorter.
    {"floyd_warshall", "270", {"graph=ring,paths=on,r1=128"}, {ElementType::i32}},
    {"floyd_warshall", "390", {"graph=ring"}, {f32}},
    {"transpose", "1|2|31..33|63..65|96|97|129|160,=,3"},
    {"transpose", "1|2|31..33|63..65|96|97|129|160,1,2 1|2|31..33|63..65|96|97|129|160,68,2"},
    {"transpose", "1,1|2|31..33|63..65|96|97|129|160,2 36,1|2|31..33|63..65|96|97|129|160,2"},
    // Rows of B that begin 1, 2 and 4 elements past a sector, and borders of tiles moved by 7.
    {"transpose", "66,57|58|60|71|121|135,3"},
    // The largest matrices of which a team takes several, or one; a last team with fewer.
    {"transpose", "64,64,3 64,32,5 32,32,7 1,1,9001 5,3,1001 2,8,515 63,65,2"},
    {"transpose", "4,4,1027 1000,612,1 515,1027,1"},
};
// A grid's y and z end at 65535: as many lines of tiles, and matrices, take several launches.
const std::vector<Borders> device_borders{
    {"floyd_warshall", "1100", {"graph=ring,paths=on"}, {f32}},
    {"jacobi", "65,255,9", {"memory=mapped,check_every=4"}},
    {"strides", "6291744,0,1,3", {""}, {f32}},
    {"transfer_overlap", "5000011,4", {""}},
    {"transfer_overlap", "5000011,4", {"math=fast,host_work=1000003"}, {f32}},
    {"transfer_overlap", "5000011,16", {"chunks=100,buffers=6"}},
    {"transpose", "3,2097248,1 2097248,3,1 4|3,4194496,1 4,4,65539", {""}, {f32}},
    {"transpose", "3,3,65539", {""}, {f64}},
};

void on_host(const Borders& of) { check_borders(of, Place::host); }
const OfEach<Borders> host(borders, "host variants agree where tiles end", "[kokkos]", on_host);
const OfEach<Borders> host_slow(slow_borders, "host variants agree where tiles end",
                                "[kokkos][slow]", on_host);
#if PORTCOST_HAS_CUDA
// PROBLEM NAME...: runs of variants whose names contain NAME wait; others may be queued ahead.
const std::vector<Given> waiting = given(R"(
launches n=300,kernels=3 fence_
transfer_bandwidth bytes=1000 pageable _waiting
transfer_batching count=3,n=5,gap=2 packed section_2d/kokkos.usual section_3d/kokkos.usual
transfer_overlap n=1000,streams=4 kokkos.usual kokkos.book
)");
void check_waiting(const Given& row) {
  need_device();
  const Algorithm& algorithm = algorithm_called(row.algorithm);
  std::istringstream words(row.problems);
  std::string text;
  words >> text;
  const std::vector<std::string> names(std::istream_iterator<std::string>(words), {});
  const Problem problem = problem_of(algorithm, text);
  const auto instance = algorithm.make(problem, shared_stream(Place::device));
  for (const Variant& variant : algorithm.variants) {
    if (variant.place != Place::device) continue;
    const std::string name = variant_name(algorithm, variant);
    CAPTURE(name);
    const bool waits = std::ranges::any_of(names, [&](auto& part) { return mentions(name, part); });
    CHECK(variant.make(problem, *instance)->queued_ahead() == !waits);
  }
}
const OfEach<Given> queued(waiting, "what waits is not queued ahead", "[kokkos][gpu]",
                           check_waiting);

void on_device(const Borders& of) {
  need_device();
  check_borders(of, Place::device);
}
const OfEach<Borders> device(borders, "device variants agree where tiles end", "[kokkos][gpu]",
                             on_device);
const OfEach<Borders> device_slow(slow_borders, "device variants agree where tiles end",
                                  "[kokkos][gpu]", on_device);
const OfEach<Borders> device_large(device_borders, "device variants agree on large arrays",
                                   "[kokkos][gpu]", on_device);
#endif

}  // namespace portcost::test::test_algorithms
