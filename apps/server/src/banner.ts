import type { RunningLandscape } from './landscape.ts';

/** What is shown when everything is ready: addresses, files, and what to try next. */
export function banner({ url, httpUrl, kubeconfigPath, tokenPath, storeText }: RunningLandscape): string {
  const rows = [
    ['API', `${url}/clusters/<name>`],
    ...(httpUrl === undefined ? [] : [['plain HTTP', `${httpUrl} (loopback only)`]]),
    ['kubeconfig', kubeconfigPath],
    ['admin token', tokenPath],
    ['data', storeText],
  ] as [string, string][];
  return [
    'Chandlery is ready.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`),
    '',
    '  Try:         ' + `kubectl --kubeconfig ${kubeconfigPath} get namespaces`,
    '               npx chandlery clusters create my-team',
    '  Stop:        Ctrl-C',
    '',
  ].join('\n');
}
