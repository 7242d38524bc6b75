import { changeQuery, useViewLocation } from '../routing/location.ts';
import type { GraphChoice } from '../ui/graph/graph-view.tsx';

/** How the graph of a view is shown, as its address says. */
export function useGraphQuery() {
  const { query } = useViewLocation();
  const choice: GraphChoice = { isList: query.get('as') === 'list', hasOnlyProblems: query.get('problems') === 'only' };
  const onChoose = (change: Partial<GraphChoice>): void => {
    const { isList, hasOnlyProblems } = { ...choice, ...change };
    changeQuery({ as: isList ? 'list' : undefined, problems: hasOnlyProblems ? 'only' : undefined }, { replace: true });
  };
  return { choice, onChoose };
}
