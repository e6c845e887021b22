// What Wine 8.0 lacks of Windows, for the tests of .ci/windows/run alone; it is never shipped. Go's runtime loads this
// library from the system folder when a program starts, and so the second part too is there in every program.
#include <windows.h>
#include <winternl.h>
#include <string.h>

// SystemFunction036 is the exported name of RtlGenRandom.
BOOLEAN NTAPI SystemFunction036(PVOID data, ULONG size);

// ProcessPrng is where Go's runtime and crypto/rand get random numbers. Wine has it from version 9 on.
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
  return SystemFunction036(data, (ULONG)size);
}

typedef NTSTATUS(NTAPI *set_information_file)(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG, FILE_INFORMATION_CLASS);
static set_information_file original;

#define NOT_IMPLEMENTED ((NTSTATUS)0xC0000002)
#define INVALID_INFO_CLASS ((NTSTATUS)0xC0000003)

// Go deletes and renames by information classes that Wine 8.0 lacks, as do the versions of Windows before 10 1709. Those say
// that the class is invalid, upon which Go takes an older one. Wine says that it is not implemented, which Go reports.
static NTSTATUS NTAPI answer_as_windows(
    HANDLE file, PIO_STATUS_BLOCK io, PVOID data, ULONG size, FILE_INFORMATION_CLASS class) {
  NTSTATUS status = original(file, io, data, size, class);
  return status == NOT_IMPLEMENTED ? INVALID_INFO_CLASS : status;
}

// A function of ntdll.dll that is a system call begins with these bytes, has this size in all, and runs at any address.
static const BYTE stub_beginning[] = {0x4c, 0x8b, 0xd1, 0xb8}; // mov r10, rcx; mov eax, NUMBER
#define STUB_SIZE 32

// DllMain lets NtSetInformationFile begin with a jump to answer_as_windows, which calls a copy of what was there. No other
// thread can be in the function: Go's runtime loads this library before it starts one.
BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved) {
  if (reason != DLL_PROCESS_ATTACH) return TRUE;
  BYTE *stub = (BYTE *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtSetInformationFile");
  if (stub == NULL || memcmp(stub, stub_beginning, sizeof stub_beginning) != 0) return FALSE;
  BYTE *copy = VirtualAlloc(NULL, STUB_SIZE, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
  DWORD protection;
  if (copy == NULL || !VirtualProtect(stub, STUB_SIZE, PAGE_EXECUTE_READWRITE, &protection)) return FALSE;
  memcpy(copy, stub, STUB_SIZE);
  original = (set_information_file)copy;

  BYTE jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; // mov rax, ADDRESS; jmp rax
  void *target = answer_as_windows;
  memcpy(jump + 2, &target, sizeof target);
  memcpy(stub, jump, sizeof jump);
  return VirtualProtect(stub, STUB_SIZE, protection, &protection);
}
