import { join } from 'node:path';
import { Failure, type SourceRequest } from '@dbmole/core';
import { missingFile, openToOthers, type PasswordFile, readPasswordFile, variable } from './password-file.ts';

/** The parameters of each service, by its name. */
type Services = ReadonlyMap<string, ReadonlyMap<string, string>>;

function pgServicePath({ env, home }: Pick<SourceRequest, 'env' | 'home'>): string {
  return variable(env, 'PGSERVICEFILE') ?? join(home, '.pg_service.conf');
}

export function openPgService(request: Pick<SourceRequest, 'env' | 'home'>): PasswordFile | undefined {
  return readPasswordFile(pgServicePath(request), openToOthers.toWrite);
}

export function passwordFromPgService(request: SourceRequest): string | undefined {
  const { name } = request;
  const file = openPgService(request);
  if (file === undefined) throw missingFile(pgServicePath(request));
  const services = parsePgService(file.text);
  const known = [...services.keys()];
  const service = name === undefined ? undefined : services.get(name);
  if (service === undefined) {
    const what = name === undefined ? '"name" must say which service' : `${file.path} has no service of this name`;
    const hint = known.length === 0 ? 'It defines no service.' : `There are ${known.slice(0, 20).join(', ')}.`;
    throw new Failure('secret', what, { hint, code: 'E_SECRET_SOURCE' });
  }
  return service.get('password');
}

/** `[service]` and `key=value`, as the database's own library reads them: what comes first counts, and nothing is unquoted. */
export function parsePgService(text: string): Services {
  const services = new Map<string, Map<string, string>>();
  let current = new Map<string, string>();
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    const section = /^\[(.*)\]$/.exec(line)?.[1];
    if (section === undefined) addParameter(line, current);
    else {
      // A second section of the name is another one, and never reached.
      current = new Map();
      if (!services.has(section)) services.set(section, current);
    }
  }
  return services;
}

/** `key = value` is a mistake there; here the space is not part of the value. */
function addParameter(line: string, parameters: Map<string, string>): void {
  const [, key, value] = /^([^#=][^=]*)=(.*)$/.exec(line) ?? [];
  if (key === undefined || value === undefined) return;
  const name = key.trimEnd();
  if (!parameters.has(name)) parameters.set(name, name === key ? value : value.trimStart());
}
