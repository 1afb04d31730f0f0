// Finds the JDKs of this machine.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

/** Parses a version: `17.0.15` is 17, `25-ea` is 25, and `1.8.0_292`, the form before Java 9, is 8. */
export function javaMajor(version: string): number | undefined {
  const major = /^(?:1\.)?(\d+)/.exec(version)?.[1]
  return major === undefined ? undefined : Number(major)
}

/**
 * Lists Java homes of the environment: the numbered ones first, highest first, because they were set on
 * purpose.
 */
export function javaHomes(env: NodeJS.ProcessEnv): string[] {
  const number = (name: string): number => Number(/^JAVA_HOME_(\d+)/.exec(name)?.[1] ?? 0)
  return Object.keys(env)
    .filter((name) => /^JAVA_HOME(_\d+\w*)?$/.test(name)) // GitHub's runners set JAVA_HOME_21_X64
    .sort((a, b) => number(b) - number(a))
    .flatMap((name) => env[name] || [])
}

/** Returns the first home whose Java is in `accepted`; `majorOf` is called only as long as needed. */
export function chooseJdk(
  homes: Iterable<string>,
  accepted: readonly number[],
  majorOf: (home: string) => number | undefined,
): string | undefined {
  for (const home of homes) {
    const major = majorOf(home)
    if (major !== undefined && accepted.includes(major)) return home
  }
  return undefined
}

/** Finds the home of a JDK on this machine with one of the `accepted` major versions. */
export function findJdk(accepted: readonly number[]): string | undefined {
  return chooseJdk(installedJdks(), accepted, installedMajor)
}

/** Returns the full path of a program in the way of the shell. */
export function findOnPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
}

function* installedJdks(): Generator<string> {
  yield* javaHomes(process.env)
  const java = findOnPath('java')
  if (java !== undefined) yield dirname(dirname(realpathSync(java)))
  for (const [folder, inside] of usualFolders()) {
    if (!existsSync(folder)) continue
    for (const name of readdirSync(folder).sort()) yield join(folder, name, inside)
  }
}

/**
 * Lists the folders in which package managers, SDKMAN and IDEs install JDKs, and the home inside each JDK.
 */
function usualFolders(): [folder: string, inside: string][] {
  const macBundle = join('Contents', 'Home')
  return [
    ['/usr/lib/jvm', ''],
    ['/usr/java', ''],
    ['/opt/java', ''],
    ['/opt/jdk', ''],
    ['/Library/Java/JavaVirtualMachines', macBundle],
    [join(homedir(), 'Library/Java/JavaVirtualMachines'), macBundle],
    [join(homedir(), '.sdkman/candidates/java'), ''],
    [join(homedir(), '.jdks'), ''],
  ]
}

function installedMajor(home: string): number | undefined {
  const java = join(home, 'bin', 'java')
  if (!existsSync(java)) return undefined // /usr/lib/jvm also has folders with sources only
  const release = join(home, 'release')
  const said = existsSync(release)
    ? /^JAVA_VERSION="(.+)"$/m.exec(readFileSync(release, 'utf8'))?.[1]
    : /version "(.+?)"/.exec(spawnSync(java, ['-version'], { encoding: 'utf8' }).stderr ?? '')?.[1]
  return said === undefined ? undefined : javaMajor(said)
}
