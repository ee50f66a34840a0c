import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineGate } from './session.ts';

function open(maxHeldBytes?: number) {
  const forwarded: Buffer[] = [];
  const observed: string[] = [];
  const gate = new LineGate({
    forward: (bytes) => forwarded.push(Buffer.from(bytes)),
    observe: (line) => observed.push(line.toString()),
    ...(maxHeldBytes !== undefined && { maxHeldBytes }),
  });
  return { gate, observed, text: () => Buffer.concat(forwarded).toString() };
}

describe('LineGate', () => {
  it('forwards every byte up to the last end of a line, however it is cut', () => {
    const text = fc.array(fc.constantFrom('a', 'ä', '\n', '{"id":1}', '\n\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(20)), (whole, cuts) => {
        const { gate, observed, text } = open();
        let rest: Buffer = Buffer.from(whole);
        for (const cut of [...cuts, rest.length]) {
          gate.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        gate.push(rest);
        expect(text()).toBe(whole.slice(0, whole.lastIndexOf('\n') + 1));
        expect(observed).toEqual(whole.split('\n').slice(0, -1));
      }),
      { numRuns: 500 },
    );
  });

  it('lets a line pass that is too long to be held, and observes only the next one', () => {
    const { gate, observed, text } = open(10);
    for (const part of ['123456', '789012', '34', '5\nnext\nla', 'st']) gate.push(Buffer.from(part));
    expect([text(), observed]).toEqual(['123456789012345\nnext\n', ['next']]);
  });

  it('forgets the beginning of a line that its sender will not end', () => {
    const { gate, observed } = open();
    gate.push(Buffer.from('half'));
    gate.reset();
    gate.push(Buffer.from('whole\n'));
    expect(observed).toEqual(['whole']);
  });
});
