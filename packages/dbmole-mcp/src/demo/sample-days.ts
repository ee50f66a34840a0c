/** The day after the last order, before rows are moved. */
const lastDay = Date.UTC(2026, 5, 11);
const dayMs = 86_400_000;

/** How many days rows are moved so that the last order is of yesterday: people ask for last month, and for this week. */
export function daysUntil(today: Date): number {
  return Math.floor((today.getTime() - lastDay) / dayMs);
}
