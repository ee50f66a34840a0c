type Message = (n: number) => string;

/** What the services always say. */
export const messages: readonly Message[] = [
  (n) => `GET /cart/items served in ${n % 90} ms to 10.0.${n % 250}.${(n * 7) % 250}`,
  (n) => `user ${1_000 + (n % 400)} logged in from session ${(n * 2_654_435_761) >>> 8}`,
  (n) => `order ${50_000 + n} paid with card ending ${1_000 + (n % 9_000)}`,
  (n) => `cache miss for key product:${n % 2_000}, loaded in ${n % 40} ms`,
  (n) => `connection pool has ${n % 20} idle of 20 connections`,
  () => 'scheduled job cleanup finished without errors',
];

/** What they began to say at 10:00 on the last day. */
export const newMessages: readonly Message[] = [
  (n) => `payment gateway timeout after ${3_000 + (n % 500)} ms for order ${50_000 + n}`,
  (n) => `circuit breaker opened for inventory-${n % 4}: 5 failures in ${n % 60} s`,
  (n) => `deadlock detected while updating stock of product ${n % 2_000}`,
];
