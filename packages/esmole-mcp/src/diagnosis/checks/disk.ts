import type { Finding } from '@dbmole/core';
import { formatShare } from '@dbmole/core';
import { formatBytes } from '../../indices/index-table.ts';
import type { ClusterSettings } from '../cluster-settings.ts';

interface DiskFacts {
  node: string;
  total: number;
  available: number;
}

const prefix = 'cluster.routing.allocation.disk.';

const marks = [
  {
    name: 'flood_stage',
    severity: 'high' as const,
    consequence: 'Every index with a shard on this node becomes read-only: writes fail.',
  },
  {
    name: 'high',
    severity: 'high' as const,
    consequence: 'The cluster moves shards away from this node; at the flood stage writes fail.',
  },
  {
    name: 'low',
    severity: 'medium' as const,
    consequence: 'No further shards are put on this node, so replicas and new indices may stay unassigned.',
  },
];

/** One finding for each node, for the worst watermark that it has passed. */
export function judgeDisks(disks: readonly DiskFacts[], { values }: ClusterSettings): Finding[] {
  if (values.get(`${prefix}threshold_enabled`) === 'false') {
    return [
      {
        severity: 'medium',
        weight: 1,
        evidence: `${prefix}threshold_enabled is false: no watermark protects the disks`,
        consequence: 'Nodes fill up until writes fail, and a full disk can damage an index.',
        next: `PUT /_cluster/settings {"persistent":{"${prefix}threshold_enabled":true}}, after a look at GET /_cat/allocation?v=true`,
      },
    ];
  }
  return disks.flatMap((disk) => {
    const passed = marks.find(({ name }) => {
      const free = readRequiredFree(
        values.get(`${prefix}watermark.${name}`),
        values.get(`${prefix}watermark.${name}.max_headroom`),
        disk.total,
      );
      return free !== undefined && disk.available < free;
    });
    if (passed === undefined || disk.total <= 0) return [];
    const { name, severity, consequence } = passed;
    const used = formatShare(1 - disk.available / disk.total);
    return [
      {
        severity,
        weight: 1e9 - disk.available / disk.total,
        evidence: `node ${disk.node} has ${formatBytes(disk.available)} of ${formatBytes(disk.total)} free (${used} used), past the watermark ${name} (${values.get(`${prefix}watermark.${name}`)})`,
        consequence,
        next: 'GET /_cat/indices?v=true&s=store.size:desc shows what is large: delete or move what is old, or add disk or a node.',
      },
    ];
  });
}

/** The bytes that have to stay free. A watermark is a used share, or free bytes; headroom bounds the share on large disks. */
export function readRequiredFree(mark: string | undefined, headroom: string | undefined, total: number): number | undefined {
  if (mark === undefined) return undefined;
  const [, percent] = /^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(mark) ?? [];
  const share = percent !== undefined ? Number(percent) / 100 : /^[01]\.\d{1,6}$/.test(mark) ? Number(mark) : undefined;
  if (share === undefined) return readBytes(mark);
  const maxFree = headroom === undefined || headroom.startsWith('-') ? undefined : readBytes(headroom);
  return Math.min((1 - share) * total, maxFree ?? Number.POSITIVE_INFINITY);
}

const units = ['b', 'kb', 'mb', 'gb', 'tb', 'pb'];

function readBytes(text: string): number | undefined {
  const [, digits, unit = 'b'] = /^(\d{1,15}(?:\.\d{1,6})?)([kmgtp]?b)$/i.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * 1024 ** Math.max(0, units.indexOf(unit.toLowerCase()));
}
