import { lintStep, runStep, typesSteps } from './steps.ts';

const steps = [
  lintStep,
  ...typesSteps,
  { name: 'unit tests', command: ['vitest', 'run', '--project', 'unit', '--maxWorkers=100%'] as const },
];
const failed = steps.filter((step) => !runStep(step));
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.map((step) => step.name).join(', ')}`);
  process.exit(1);
}
