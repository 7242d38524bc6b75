import { changeQuery, useViewLocation } from '../routing/location.ts';
import type { GraphChoice } from '../ui/graph/graph-view.tsx';
import { useIsNarrow } from '../ui/use-is-narrow.ts';

/** How the graph of a view is shown, as its address says. */
export function useGraphQuery() {
  const { query } = useViewLocation();
  // On a telephone a drawing shows little more than one node.
  const first = useIsNarrow() ? 'list' : 'graph';
  const choice: GraphChoice = {
    isList: (query.get('as') ?? first) === 'list',
    hasOnlyProblems: query.get('problems') === 'only',
  };
  const onChoose = (change: Partial<GraphChoice>): void => {
    const { isList, hasOnlyProblems } = { ...choice, ...change };
    const as = isList ? 'list' : 'graph';
    changeQuery(
      { as: as === first ? undefined : as, problems: hasOnlyProblems ? 'only' : undefined },
      { replace: true },
    );
  };
  return { choice, onChoose };
}
