// Acts with a trained run from Rust, by the C interface (alps/plan.h). The same as plan.c:
//   rustc plan.rs -L WHERE_ALPS_WAS_INSTALLED/lib && LD_LIBRARY_PATH=... ./plan RUN GOAL_1 ... GOAL_N < observations
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::io::BufRead;

#[link(name = "alps_plan")]
extern "C" {
    fn alps_plan_abi() -> c_int;
    fn alps_planner_load(run: *const c_char, variant: *const c_char, settings: *const *const c_char, count: usize,
                         message: *mut c_char, message_size: usize) -> *mut c_void;
    fn alps_planner_free(planner: *mut c_void);
    fn alps_planner_action_size(planner: *const c_void) -> usize;
    fn alps_planner_reset(planner: *mut c_void, goal: *const f32, size: usize, seed: u64) -> c_int;
    fn alps_planner_act(planner: *mut c_void, observation: *const f32, size: usize, action: *mut f32, action_size: usize) -> c_int;
    fn alps_planner_message(planner: *const c_void) -> *const c_char;
}

struct Planner(*mut c_void);

impl Planner {
    fn load(run: &str) -> Result<Planner, String> {
        assert_eq!(unsafe { alps_plan_abi() }, 1, "another libalps_plan than this program was written for");
        let run = CString::new(run).map_err(|error| error.to_string())?;
        let mut message: [c_char; 512] = [0; 512];
        let planner = unsafe {
            alps_planner_load(run.as_ptr(), std::ptr::null(), std::ptr::null(), 0, message.as_mut_ptr(), message.len())
        };
        if planner.is_null() {
            return Err(unsafe { CStr::from_ptr(message.as_ptr()) }.to_string_lossy().into_owned());
        }
        Ok(Planner(planner))
    }

    fn checked(&self, result: c_int) -> Result<(), String> {
        if result == 0 {
            return Ok(());
        }
        Err(unsafe { CStr::from_ptr(alps_planner_message(self.0)) }.to_string_lossy().into_owned())
    }

    fn reset(&mut self, goal: &[f32], seed: u64) -> Result<(), String> {
        self.checked(unsafe { alps_planner_reset(self.0, goal.as_ptr(), goal.len(), seed) })
    }

    fn act(&mut self, observation: &[f32]) -> Result<Vec<f32>, String> {
        let mut action = vec![0.0; unsafe { alps_planner_action_size(self.0) }];
        let result = unsafe { alps_planner_act(self.0, observation.as_ptr(), observation.len(), action.as_mut_ptr(), action.len()) };
        self.checked(result)?;
        Ok(action)
    }
}

impl Drop for Planner {
    fn drop(&mut self) {
        unsafe { alps_planner_free(self.0) }
    }
}

fn numbers<'a>(words: impl Iterator<Item = &'a str>) -> Vec<f32> {
    words.filter_map(|word| word.parse().ok()).collect()
}

fn main() -> Result<(), String> {
    let words: Vec<String> = std::env::args().collect();
    if words.len() < 3 {
        return Err("usage: plan RUN GOAL_1 ... GOAL_N < observations".into());
    }
    let mut planner = Planner::load(&words[1])?;
    planner.reset(&numbers(words[2..].iter().map(String::as_str)), 0)?;
    for line in std::io::stdin().lock().lines() {
        let observation = numbers(line.map_err(|error| error.to_string())?.split_whitespace());
        for a in planner.act(&observation)? {
            print!("{} ", a);
        }
        println!();
    }
    Ok(())
}
