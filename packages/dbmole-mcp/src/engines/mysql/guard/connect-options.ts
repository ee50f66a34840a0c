import { notARead } from './refuse.ts';

/**
 * Tables of MariaDB's CONNECT engine read files, or anything else: other servers, web addresses, libraries, and with EXECSRC they
 * run whatever text a condition holds. Those over files are reads; others only if they name a table.
 */
export function refuseOptions(options: string): void {
  if (options.length >= mostShown) throw notARead({ message: 'it has more options than the server shows', at: 0 });
  const outward = /\b(execsrc|srcdef|http|uri|module|subtype|query_string|wrapper|driver)\b/i.exec(options);
  if (outward !== null) throw notARead({ message: `its option ${outward[0].toUpperCase()} can do more than read`, at: 0 });
  // It may also be one of the options in the list.
  const types = [...options.matchAll(/\b(?:table_type|type\s*=)\W*(\w+)/gi)].map(([, type = '']) => type.toUpperCase());
  // The engine's own default.
  if (types.length === 0 && /\btabname\b/i.test(options)) types.push('PRX');
  const type = types.find((one) => !readingTypes.has(one));
  if (type !== undefined) throw notARead({ message: `its type ${type} is not known to do no more than read`, at: 0 });
}

/** A little less than what the server cuts them at. */
const mostShown = 2_000;

const readingTypes: ReadonlySet<string> = new Set(
  'DOS FIX BIN DBF CSV FMT VEC INI XML JSON BSON DIR VIR ZIP MYSQL ODBC JDBC'.split(' '),
);
