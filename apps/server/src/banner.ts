import type { RunningLandscape } from './landscape.ts';

/** What is shown when everything is ready: addresses, files, and what to try next. */
export function banner(landscape: RunningLandscape): string {
  const { url, httpUrl, xdsPort, kubeconfigPath, tokenPath, storeText, runsPods } = landscape;
  const rows = [
    ['API', `${url}/clusters/<name>`],
    ...(httpUrl === undefined ? [] : [['plain HTTP', `${httpUrl} (loopback only)`]]),
    ['proxies', `${new URL(url).hostname}:${xdsPort} (xDS, with certificates of the mesh)`],
    ['kubeconfig', kubeconfigPath],
    ['admin token', tokenPath],
    ['data', storeText],
    ...(runsPods ? [['pods', 'processes of this machine: for development only (--local-clusters off)']] : []),
  ] as [string, string][];
  return [
    'Chandlery is ready.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(12)} ${value}`),
    '',
    '  Try:         ' + `kubectl --kubeconfig ${kubeconfigPath} get namespaces`,
    '               npx chandlery provider list',
    '  Stop:        Ctrl-C',
    '',
  ].join('\n');
}
