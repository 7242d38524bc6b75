import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type ICruiseResult, type IViolation } from 'dependency-cruiser';
import { importRules } from './import-rules.ts';

/** What the check found out. */
export interface ImportReport {
  /** How many of our own modules it saw. */
  readonly modules: number;
  /** One text per forbidden import, naming the rule and what is allowed. */
  readonly problems: readonly string[];
}

const places = ['packages', 'domains', 'apps', 'examples', 'test', 'bench', 'tools'];

/** Checks who imports whom below `root`. Seeing fewer than `minModules` is a problem too: then it saw nothing. */
export async function checkImports(root: string, minModules: number): Promise<ImportReport> {
  const { output } = await cruise(
    places.filter(place => existsSync(join(root, place))),
    {
      baseDir: root,
      ruleSet: { forbidden: [...importRules] },
      validate: true,
      // Without this, imports of types only would not be seen.
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      exclude: { path: String.raw`(^|/)(\.cache|\.chandlery)/` },
      enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    },
  );
  const { modules, summary } = output as ICruiseResult;
  const ours = modules.filter(({ source }) => places.some(place => source.startsWith(`${place}/`))).length;
  const tooFew = ours < minModules ? [`only ${ours} modules were seen: the check itself is broken`] : [];
  return { modules: ours, problems: [...tooFew, ...summary.violations.map(describeViolation)] };
}

function describeViolation({ from, to, rule, cycle = [] }: IViolation): string {
  const route = cycle.length > 0 ? cycle.map(({ name }) => name).join(' → ') : to;
  const comment = importRules.find(({ name }) => name === rule.name)?.comment ?? '';
  return `${from} → ${route}\n  ${rule.name}: ${comment}`;
}
