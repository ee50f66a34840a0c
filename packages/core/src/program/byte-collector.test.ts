import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteCollector } from './byte-collector.ts';

it('joins parts of any length, as often as it is used', () => {
  const part = fc.integer({ min: 0, max: 20_000 });
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 30 }), { maxLength: 3 }), (messages) => {
      const collector = new ByteCollector();
      for (const lengths of messages) {
        const parts = lengths.map((length, at) => Buffer.alloc(length, 65 + at));
        for (const bytes of parts) collector.append(bytes);
        const whole = Buffer.concat(parts);
        expect(collector.length).toBe(whole.length);
        expect(collector.join().equals(whole)).toBe(true);
        expect(collector.join(10).equals(whole.subarray(0, 10))).toBe(true);
        collector.clear();
      }
    }),
    { numRuns: 50 },
  );
});
