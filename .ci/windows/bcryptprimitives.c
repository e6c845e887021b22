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
static set_information_file set_information;

#define NOT_IMPLEMENTED ((NTSTATUS)0xC0000002)
#define INVALID_INFO_CLASS ((NTSTATUS)0xC0000003)

// Go deletes and renames by information classes that Wine 8.0 lacks, as do the versions of Windows before 10 1709.
// Those say that the class is invalid, upon which Go takes an older one. Wine says that it is not implemented, which Go
// reports.
static NTSTATUS NTAPI answer_as_windows(
    HANDLE file, PIO_STATUS_BLOCK io, PVOID data, ULONG size, FILE_INFORMATION_CLASS class) {
  NTSTATUS status = set_information(file, io, data, size, class);
  return status == NOT_IMPLEMENTED ? INVALID_INFO_CLASS : status;
}

typedef NTSTATUS(NTAPI *create_process)(
    HANDLE *, HANDLE *, ACCESS_MASK, ACCESS_MASK, void *, void *, ULONG, ULONG, void *, void *, void *);
static create_process create_user_process;

#define INTERNAL_ERROR ((NTSTATUS)0xC00000E5)

// Wine on a busy machine loses the connection to a new program about once in a thousand times ("wine client error:
// sendmsg: Bad file descriptor"), before the program has run anything. The next attempt succeeds.
static NTSTATUS NTAPI create_again(
    HANDLE *process, HANDLE *thread, ACCESS_MASK process_rights, ACCESS_MASK thread_rights, void *process_attributes,
    void *thread_attributes, ULONG process_flags, ULONG thread_flags, void *parameters, void *info, void *list) {
  NTSTATUS status = INTERNAL_ERROR;
  for (int attempt = 0; attempt < 5 && status == INTERNAL_ERROR; attempt++)
    status = create_user_process(
        process, thread, process_rights, thread_rights, process_attributes, thread_attributes, process_flags,
        thread_flags, parameters, info, list);
  return status;
}

// A function of ntdll.dll that is a system call begins with these bytes, has this size in all, and runs at any address.
static const BYTE stub_beginning[] = {0x4c, 0x8b, 0xd1, 0xb8}; // mov r10, rcx; mov eax, NUMBER
#define STUB_SIZE 32

// replace_call lets a function of ntdll.dll begin with a jump to another one, and returns a copy of what was there. No
// other thread can be in the function: Go's runtime loads this library before it starts one.
static void *replace_call(const char *name, void *function) {
  BYTE *stub = (BYTE *)GetProcAddress(GetModuleHandleA("ntdll.dll"), name);
  if (stub == NULL || memcmp(stub, stub_beginning, sizeof stub_beginning) != 0) return NULL;
  BYTE *copy = VirtualAlloc(NULL, STUB_SIZE, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
  DWORD protection;
  if (copy == NULL || !VirtualProtect(stub, STUB_SIZE, PAGE_EXECUTE_READWRITE, &protection)) return NULL;
  memcpy(copy, stub, STUB_SIZE);
  BYTE jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; // mov rax, ADDRESS; jmp rax
  memcpy(jump + 2, &function, sizeof function);
  memcpy(stub, jump, sizeof jump);
  VirtualProtect(stub, STUB_SIZE, protection, &protection);
  return copy;
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, LPVOID reserved) {
  if (reason != DLL_PROCESS_ATTACH) return TRUE;
  set_information = (set_information_file)replace_call("NtSetInformationFile", answer_as_windows);
  create_user_process = (create_process)replace_call("NtCreateUserProcess", create_again);
  return set_information != NULL && create_user_process != NULL;
}
