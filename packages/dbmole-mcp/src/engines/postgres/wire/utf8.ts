/** Where the last whole character ends, for a text that may have been cut at `end`. */
export function completeEnd(bytes: Buffer, start: number, end: number): number {
  let lead = end - 1;
  // A character has three continuation bytes at most.
  while (lead >= start && end - lead < 4 && isContinuation(bytes[lead])) lead -= 1;
  if (lead < start) return end;
  return lead + measureLength(bytes[lead]) > end ? lead : end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function measureLength(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
