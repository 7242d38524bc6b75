import { useEffect, useState } from 'react';

/** As in the style sheets. */
const narrow = '(max-width: 800px)';

/** Whether the page has the width of a telephone. */
export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrow).matches);
  useEffect(() => {
    const list = matchMedia(narrow);
    const onChange = (): void => setNarrow(list.matches);
    onChange();
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  }, []);
  return isNarrow;
}
