/** The process of `Examiner`. */
import { examine, type Examined } from './examineFile.ts';

process.on('message', ({ dataDir, original }: { dataDir: string; original: Examined['parts'] }) => {
  void examine(dataDir, original).then((examined) => process.send?.(examined));
});
