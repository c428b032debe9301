#include <iostream>
#include "kernels/described/source/first_definition.hpp"
int main(int c, char** v) { using namespace tune::described;
 std::filesystem::path p(v[1]); try { auto t = read_kernel_text(p, {}, {}); auto d = first_definition(p.filename().string(), t, c > 2 ? v[2] : "");
 std::cout << d.json; for (auto& m : d.missing) std::cout << "MISSING " << m << "\n"; } catch (std::exception& e) { std::cout << "ERROR " << e.what() << "\n"; } }
