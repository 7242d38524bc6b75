import { type ReactNode, useEffect, useState } from 'react';

const narrow = '(max-width: 800px)';

interface FilterGroupProps {
  readonly children: ReactNode;
  /** How many of the filters are set. */
  readonly count: number;
}

/** Filters beside each other; on a narrow screen behind a summary, so that what they filter is in view. */
export function FilterGroup({ children, count }: FilterGroupProps) {
  const isNarrow = useMediaQuery(narrow);
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="filter-group"
      open={!isNarrow || isOpen}
      onToggle={({ currentTarget }) => isNarrow && setOpen(currentTarget.open)}
    >
      <summary hidden={!isNarrow}>More filters{count > 0 && ` (${count} set)`}</summary>
      <div className="toolbar">{children}</div>
    </details>
  );
}

function useMediaQuery(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const onChange = (): void => setMatches(list.matches);
    onChange();
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  }, [query]);
  return matches;
}
