import { tunnelFailures } from '../../packages/core/src/tunnel/failures.ts';
import { errorCodes } from './error-codes.ts';

export function errorsPage(): string {
  const own = Object.entries(errorCodes).map(([code, [meaning, next]]) => ({ code, meaning, next }));
  const ssh = Object.entries(tunnelFailures).map(([code, { meaning, nextStep }]) => ({ code, meaning, next: nextStep }));
  const rows = [...own, ...ssh].toSorted((a, b) => (a.code < b.code ? -1 : 1));
  const lines = rows.map(({ code, meaning, next }) => `| \`${code}\` | ${meaning} | ${next} |`);
  return `# Errors

Every failed call begins with a code that does not change between versions, says what failed on which value, and ends with the next step.
Text from a database is on the first line, in quotes that it cannot end: “…”. The line that begins with \`Next:\` comes from this server
and names only tools that it offers; on the command line, errors name commands instead.

| code | what happened | what to do |
|---|---|---|
${lines.join('\n')}
`;
}
